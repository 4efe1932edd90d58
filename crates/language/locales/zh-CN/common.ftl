# 列表各项之间的分隔。
between-items = 、
between-sentences = ；
between-choices = {" "}/{" "}
between-both = 、
between-parts = ；
labelled = { $label }：{ $what }
between-changes = {" "}与{" "}
# 段落内句子之间。
between-texts = {""}
