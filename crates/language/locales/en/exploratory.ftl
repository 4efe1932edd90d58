exploratory = Exploratory: no claim asked for these ratios; they may suggest what to claim next, and are no verdicts
loop = loop
stands-out = stands out
not-explored = exploratory: { $n } of { $of } comparisons that no claim declares are shown; declare a claim for any other
exploratory-columns = comparison | ratio | confidence | blocks | loop | responses |{" "}
