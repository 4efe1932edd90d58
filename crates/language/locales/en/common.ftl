# What stands between the items of a list.
between-items = ,{" "}
between-sentences = ;{" "}
between-choices = {" "}or{" "}
between-both = {" "}and{" "}
between-parts = ,{" "}
labelled = { $label }: { $what }
between-changes = {" "}with{" "}
# Between sentences of a paragraph.
between-texts = {" "}
