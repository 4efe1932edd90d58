history = Runs
no-runs = no runs here; they are made in runs/ of the working directory, or of the one that --dir names
diff-plan = Plan
diff-environment = Environment
diff-verdicts = Verdicts that differ
diff-title-first-second = first { $left }, second { $right }
same = the same
not-paired = not paired: different times; the interval covers how blocks differ within each run, not how the machine changed between them, so this is no verdict
baseline-title = Against the baseline { $run }: worse by more than { $tolerance } is a regression
baseline-reasons-the-interval-contains-the = the interval contains the tolerance; the resolution is ±{ $resolution }
baseline-reasons-on-one-side-at = { $blocks } on one side, at least { $need } are needed
against-baseline-no-regression = no regression
against-baseline-regression = REGRESSION
against-baseline-undecided = undecided
baseline-not-paired = the comparison with the baseline is not paired: the runs were made at different times, and a machine that changed between them is within the ratio
baseline-without-tau = how much the figures differ between sittings is not known (four runs like the baseline beside it would show it): where it is 5 to 7 %, an equal run regresses in 12 to 20 of 100 comparisons
another-build = the baseline was measured by another build of Proofload: { $difference }; the ratio holds what that changed
baseline-differs = the baseline is not comparable and was compared all the same: { $what }
unmatched = the baseline has no { $what }
resumed-times = { $times ->
    [one] once
   *[other] { $times } times
}
resumed-cut-off-by-that = ; { $blocks } cut off by that: on record, not judged, not counted as lost
resumed = resumed { $times }{ $cut }
resumed-elsewhere = resumed although something had changed: { $what }
repeats = repeats { $run }
repeats-with-differences = repeats { $run }, with differences: { $differences }
baseline-columns = figure | this run / baseline | confidence | blocks |  | why
history-columns = study | began | preset | ended | blocks | machine | answer | id
history-unreadable = unreadable
diff-columns = {" "}| first | second | second/first
