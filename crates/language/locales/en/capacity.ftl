capacity-no-ceiling = the generator's ceiling in this setting is not known: that it was fit is based on its other checks
rough-objective = { $measure } is based on little: a trial had { $requests } requests, { $beyond } of which lie beyond it; give longer trials (--trial), or a higher --from
capacity-title-capacity-the-highest-rate = Capacity: the highest rate with { $slo }
capacity-search = search
trials-of = Trials of { $variant }
capacity-answer-below-the-range = below the range
capacity-answer-not-within-the-range = not within the range: at least its highest rate
capacity-answer-client-limited = CLIENT-LIMITED
capacity-answer-limited-by-connections = limited by connections
capacity-answer-not-settled = not settled
trial-stage-confirm-low = confirm low
trial-stage-confirm-high = confirm high
trial-stage-fresh = { $what }, fresh
trial-outcome-client-limited = client-limited
trial-outcome-connections = connections
capacity-reasons-the-interval-begins-as = the interval begins as the 95 % interval of the fit of all trials, and is widened until both ends are confirmed; docs/capacity.md says how often it holds the capacity
capacity-reasons-look-below-give-from = look below { $rate }: give --from
capacity-reasons-look-above-give-to = look above { $rate }: give --to
capacity-reasons-give-the-generator-more = give the generator more workers or CPUs of its own, or load from another machine
capacity-reasons-give-more-connections-c = give more connections (-c auto, --max-connections)
capacity-reasons-nothing-was-restarted-the = nothing was restarted: the next start may carry another rate
why-unsettled-the-search-was-cut = the search was cut off before it had an answer; give it more time with --budget
capacity-columns = variant | capacity | answer | holds at | not at | trials | to confirm
trial-columns = trial | rate | for | sent | carried |  | why
capacity-searched = { $from } to { $to }, trials of { $trial } s, at most { $trials_max } before the confirmation{ $warm_up ->
    [none] {""}
   *[other] , starts warmed for { $warm_up } s
}, seed { $seed }
capacity-found = { $variant } carries { $interval } with { $slo }{ $process ->
    [true] , this running process
   *[false] {""}
}
capacity-below-range = { $variant }: not within the range: { $slo } does not hold at its lowest rate, { $rate }{ $process ->
    [true] , this running process
   *[false] {""}
}
capacity-above-range = { $variant }: not within the range: it carries at least { $rate }, the highest rate, with { $slo }{ $process ->
    [true] , this running process
   *[false] {""}
}
capacity-limited = { $generator ->
    [true] { $variant }: client-limited at { $rate }
   *[false] { $variant }: limited by its connections at { $rate }
}: { $at_least ->
    [none] { $unconfirmed ->
        [none] nothing can be said of its capacity
       *[other] most trials passed at { $unconfirmed }, which was not confirmed
    }
   *[other] capacity is at least { $at_least } with { $slo }{ $process ->
        [true] , this running process
       *[false] {""}
    }
}
capacity-not-settled = { $variant }: capacity not settled{ $passed ->
    [none] { $failed ->
        [none] {""}
       *[other] : most trials failed at { $failed }
    }
   *[other] { $failed ->
        [none] : most trials passed at { $passed }
       *[other] : most trials passed at { $passed }, most failed at { $failed }
    }
}
capacity-confirmed = { $agreed } of { $of } { $process ->
    [true] trials with new connections
   *[false] fresh starts
} { $passed ->
    [true] passed
   *[false] failed
} at { $rate }
why-unsettled-no-lower-end-was = no lower end was confirmed by { $process ->
    [true] trials with new connections
   *[false] fresh starts
}: the server differs from trial to trial by more than an interval of some 15 %; longer trials (--trial) may help
why-unsettled-no-upper-end-was = no upper end was confirmed by { $process ->
    [true] trials with new connections
   *[false] fresh starts
}: the server differs from trial to trial by more than an interval of some 15 %, or its limit lies at the end of the range; raise --to, or give longer trials (--trial)
