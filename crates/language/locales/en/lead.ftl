# The first lines of every surface: what went wrong, then what is open, then what holds.
lead-regression = regression
lead-against-the-baseline = undecided against the baseline
lead-nothing-judged = no claim was left to judge
lead-everything-works = everything works; one restart gives no verdict
lead-no-verdict = no verdict
lead-the-generator = the generator was the limit
lead-failed = { $n } of { $all } { $kind }: { $why }
lead-all-of = { $all } of { $entry }
lead-failed-how = { $n } of { $all } failed: { $kind }
lead-ratio = { $what } ×{ $ratio }, { $allowed } allowed
lead-none-compared = nothing could be compared with the baseline { $run }
lead-case = { $what } against the baseline
lead-brief-faster = { $first } faster than { $other }, { $ratio }
lead-brief-alike = { $first } and { $other } alike, { $ratio }
lead-brief-open = { $first } or { $other }: undecided, { $ratio }
