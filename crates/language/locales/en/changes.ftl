changes = Change points
no-series = no run here has ended with a complete block: there is no figure to follow
changes-note = no verdicts: the runs were made at different times, and the machine may have changed instead of a server; the place was chosen by the values, so the figure flatters a little, and in pure noise one or two figures in a hundred show a change within thirty runs, too
series-run = { $study }, run { $began }
series-comparable-runs-the-first = { $study }, { $n } comparable runs, the first { $began }
apart = not comparable with the run before: { $difference }
too-few-runs-runs = { $runs ->
    [one] 1 run
   *[other] { $runs } runs
}
too-few-runs-too-few-to-tell = { $n }: too few to tell a change; it needs { $needs } that are comparable
too-few-runs-no-figure-has-a = no figure has a value in { $needs } of these runs: too few to tell a change
no-change-figure-was-followed-no = 1 figure was followed; no change was found
no-change-figures-were-followed-no = { $n } figures were followed; no change was found in any
followed-changes = { $changes ->
    [one] 1 change
   *[other] { $changes } changes
}
followed-figures = { $figures ->
    [one] 1 figure
   *[other] { $figures } figures
}
followed-in-followed = { $changes } in { $figures } followed
change-point-runs = { $runs_before ->
    [one] 1 run
   *[other] { $runs_before } runs
}
change-point-of-with-run-before = { $measure } of { $place } { $moved } with run { $run }, { $before } before it, { $runs_after } from it on
moved-in-percentage-points = , in percentage points,
moved-by = { $rose } by { $said }{ $points }
changed-with = since the run before: { $difference }
left-out-of-series = left out, run { $run }: { $what }
moved-rose = rose
moved-fell = fell
