steady-state = Steady state
unsteady = Without a steady state, in CPU per answered exchange
start-of = { $variant }, block { $block }
unsteady-found-a-step-after-cycle = a step after cycle { $cycles }, while it was measured
unsteady-found-still-warming-at-the = still warming at the longest warm-up, as all
unsteady-found-still-changing-at-the = still changing at the longest warm-up
slices = Slices
cycles = Cycles
turns = Turns
steady-state-columns = {" "}| starts | steady | at the cap | still warming | no steady state | not measured | warm-up, median
unsteady-columns = start | found | change | windows, in order
change-of-start = { $shared ->
    [true] { $change } as all, ±{ $allowed } allowed
   *[false] { $change } beyond the others, ±{ $allowed } allowed
}
preset = { $name }: warm-up { $warm_up_cap ->
    [none] { $warm_up } s
   *[other] until steady, at most { $warm_up_cap } s
}, { $cycles ->
    [one] 1 cycle
   *[other] { $cycles } cycles
} of { $seconds } s slices, judged after { $looking ->
    [anytime] every { $restarted ->
        [true] restart
       *[false] turn
    } from { $first } to { $last }
   *[looks] { $last ->
        [one] 1 { $restarted ->
            [true] restart
           *[false] turn
        }
       *[other] { $looks } { $restarted ->
            [true] restarts
           *[false] turns
        }
    }
}, seed { $seed }
slices-chosen = { $slice }, { $discard } before each discarded, for 99 % of the answers came within { $p99 } when the first warm-up ended
held-against-long = held against slices of { $slice } in { $blocks }: the ratio of "{ $claim }" { $change ->
    [none] is not known there
   *[other] is { $change } in these
} ({ $outcome ->
    [passed] alike within 1 %
    [failed] another one by more than 1 %
   *[unresolved] 1 % not resolved
})
slicing-at-first = { $cycles } in each block, about as long as all else in it
slicing-after-look = { $cycles } in each block after block { $after_block }: for "{ $claim }" pairs of slices spread by { $slice_sd }, starts by { $start_sd }; a block costs { $start_seconds } s and each cycle { $cycle_seconds } s
turns-removed = taking turns removed { $removed } of the variance within starts; one after the other the variants would need at least { $blocks } times the blocks
turns-removed-nothing = taking turns removed nothing of the variance within starts: serial would do as well here
