changes = Change points
no-series = no run here has ended with a complete block: there is no figure to follow
changes-note = no verdicts: the runs were made at different times, and the machine may have changed instead of a server; the place was chosen by the values, so the figure flatters a little, and in pure noise one or two figures in a hundred show a change within thirty runs, too
series-run = { $study }, run { $began }
series-comparable-runs-the-first = { $study }, { $n } comparable runs, the first { $began }
apart = not comparable with the run before: { $difference }
too-few-runs-no-figure-has-a = no figure has a value in { $needs } of these runs: too few to tell a change
changed-with = since the run before: { $difference }
left-out-of-series = left out, run { $run }: { $what }
too-few-runs = { $runs ->
    [one] 1 run
   *[other] { $runs } runs
}: too few to tell a change; it needs { $needs } that are comparable
no-change = { $figures ->
    [one] 1 figure was followed; no change was found
   *[other] { $figures } figures were followed; no change was found in any
}
changes-found = { $changes ->
    [one] 1 change
   *[other] { $changes } changes
} in { $figures ->
    [one] 1 figure
   *[other] { $figures } figures
} followed
change-point = { $measure } of { $place } { $rose ->
    [true] rose
   *[false] fell
} by { $by }{ $points ->
    [true] , in percentage points,
   *[false] {""}
} with run { $run }, { $before ->
    [one] 1 run
   *[other] { $before } runs
} before it, { $after } from it on
