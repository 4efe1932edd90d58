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
capacity-columns = variant | capacity | answer | holds at | not at | trials | to confirm
trial-columns = trial | rate | for | sent | carried |  | why
trial-outcomes = { $n } of { $all } { $outcome }
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
