exploratory = Exploratory: no claim asked for these ratios; they may suggest what to claim next, and are no verdicts
loop = loop
stands-out = stands out
exploratory-columns = comparison | ratio | confidence | blocks | loop | responses |{" "}
