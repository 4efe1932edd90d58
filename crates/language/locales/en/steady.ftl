steady-state = Steady state
unsteady = Without a steady state, in CPU per answered exchange
start-of = { $variant }, block { $block }
unsteady-found-a-step-after-cycle = a step after cycle { $cycles }, while it was measured
unsteady-found-still-warming-at-the = still warming at the longest warm-up, as all
unsteady-found-still-changing-at-the = still changing at the longest warm-up
change-of-start-as-all = as all
change-of-start-beyond-the-others = beyond the others
change-of-start-allowed = { $signed_percent } { $of }, ±{ $allowed } allowed
no-steady-state-there-by-within-s = , there by { $signed_percent } within 10 s (the median of these starts)
no-steady-state-still-warming-in-of = still warming in { $n } of { $of }: a variant's speed still changed when its warm-up had to end{ $slope }, or took a step while it was measured; more than a quarter is too many
beyond-warm-up = still warming in { $n } of { $of }, which does not turn it: it would stand if what is compared changed by { $share } more, either way
steadiness-not-measured = steady state of { $variant }: not measured, for neither its CPU per exchange nor its throughput tells anything
warm-up-s = { $seconds } s
warm-up-until-steady-at-most = until steady, at most { $seconds } s
preset = { $name }: warm-up { $warm_up }, { $timing } of { $seconds } s slices, { $looks }, seed { $seed }
looks-judged-after-every-from = judged after every { $what } from { $first } to { $last }
looks-judged-after = judged after 1 { $what }
looks-judged-after-s = judged after { $looks } { $what }s
slices = Slices
slices-before-each-discarded-for = { $time }, { $time2 } before each discarded, for 99 % of the answers came within { $time3 } when the first warm-up ended
held-against-long = held against slices of { $timing } in { $blocks }: the ratio of { $claim } is { $found } in these ({ $found2 })
slice-length-long-slices-show-a = long slices show a ratio that is { $ratio } than that of short ones, in { $blocks }: in these it is felt that the load went from one server to the other; fix longer ones (--timing slice=1s,discard=100ms)
cycles = Cycles
slicing-in-each-block-about = { $cycles } in each block, about as long as all else in it
slicing-in-each-block-after = { $cycles } in each block after block { $after_block }: for { $claim } pairs of slices spread by { $percent }, starts by { $percent2 }; a block costs { $start_seconds } s and each cycle { $cycle_seconds } s
turns = Turns
worth-of-turns-taking-turns-removed-of = taking turns removed { $removed } % of the variance within starts; one after the other the variants would need at least { $blocks } times the blocks
worth-of-turns-taking-turns-removed-nothing = taking turns removed nothing of the variance within starts: serial would do as well here
steady-state-columns = {" "}| starts | steady | at the cap | still warming | no steady state | not measured | warm-up, median
unsteady-columns = start | found | change | windows, in order
preset-cycles = { $cycles ->
    [one] 1 cycle
   *[other] { $cycles } cycles
}
preset-turn = turn
preset-restart = restart
held-against-long-not-known = not known
held-against-long-alike-within = alike within 1 %
held-against-long-another-one-by-more = another one by more than 1 %
held-against-long-not-resolved = 1 % not resolved
slice-length-higher = { $ratio } higher
slice-length-lower = { $ratio } lower
