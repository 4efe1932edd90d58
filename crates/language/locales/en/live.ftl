live-first-look = first look at the claims after { $counted }
live-after = after { $counted }
live-preparing = preparing
live-step-starting = starting
live-step-starting-one = starting { $variant }
live-step-warm-up = warm-up, { $done } %
live-step-turn-of = turn { $cycle } of { $of }: { $variant } @ { $point }
live-step-with-once-and-twice = { $variant } @ { $point } with once and twice the generator's threads
live-step-longer-turns-to-check = longer turns @ { $point }, to check the short ones
live-step-how-much-the-generator = how much the generator can do at { $point }
live-claims = claims
live-more-claims = and { $rest } more claims, { $settled } of them settled
live-more-servers = and { $rest } more servers
live-rate = rate
live-errors = errors
live-cores = cores
live-memory = memory
live-each-turn = each turn
live-in-words-at-most-left = at most { $last } left
live-in-words-about-left = about { $last } left
live-in-words-about-left-to-at = about { $median } left ({ $low } to { $high }), at most { $last }
live-network = the network: { $found }
live-name-lost = lost
live-name-given-up = given up
live-name-settled = settled
live-numbers-no-interval-yet = no interval yet
live-verdict-open = open
live-verdict-supported-so-far = supported so far
live-verdict-refuted-so-far = refuted so far
live-ratio-still-wide = { $point }, still wide
live-rows-failed = failed
live-rows-generator-busy = generator busy
live-ctrl-c = Ctrl-C ends it and shows what was measured until then
live-answered = answered
run-left-out = { $variant } is left out: { $why }
run-missing = { $variant } cannot be measured; the others are: { $why }
run-no-claim = no claim is left: figures only, no verdict
run-begun = { $study }: at most { $minutes } minutes, seed { $seed }
run-goes-on = { $study }: goes on after block { $last }, { $complete } complete
run-earlier-sittings = { $runs } earlier runs of this study, or of comparisons like its own, differ by up to { $widest } between sittings; the intervals include this
run-interrupted = interrupted; go on with: proofload resume { $run }
doubts-unknown = how small a difference this machine can resolve is not known: proofload doctor --noise measures it (6 minutes, once a week)
doubts-warning = warning: { $doubt }
doubts-old = the noise audit that says so is old: { $outdated }
doubts-heading = What this machine can resolve
doctor-nothing-left = nothing was left behind
doctor-clean = clean
doctor-noise = noise
doctor-ceiling = ceiling
doctor-history = history
doctor-lent-none = no run of the last 90 days came to its first look on this machine: a study borrows nothing of what blocks differ by; studies and proofload doctor --noise leave it to later ones
doctor-lent = { $runs ->
    [one] 1 run, begun
   *[other] { $runs } runs, the first begun
} { $age } ago: so much blocks differ (standard deviation), which later studies borrow
doctor-lent-row = { $measure }, { $kind ->
    [level] level
   *[ratio] ratio of two
}, { $runtime ->
    [jvm] JVM
    [both] JVM and native
   *[native] native
}, { $model ->
    [open] open loop
    [mixed] open and closed loops
   *[closed] closed loop
}, { $seconds } s a block: { $spread } of { $relatives }{ $tau ->
    [none] {""}
   *[other] , and { $tau } between sittings
}
wrote = wrote { $path }
no-room-in-summary = no room is left in { $path }: GitHub takes 1 MiB from a step
no-record-kept = no record was kept: { $error }; give --dir DIR, or --no-record
tune-heat = heat { $heat } of { $heats }: { $variants } variants, { $blocks } blocks
tune-leads-to = the search leads to { $variant }; fresh blocks tell
replicate-sitting = sitting { $number } of { $last }
replicate-next-sitting = the next sitting begins at { $when }; Ctrl-C judges those there are
resume-another-sitting = it paused for more than 30 minutes: what it measures now is another sitting, its verdicts are based on the sittings, and the looks count them; for a verdict about this sitting begin a new run
resume-out-of-budget = { $run } has used up its budget, and its last look has spent what was left of the error rate: more blocks would decide nothing; begin a new run with a longer --budget
live-counted = { $restart ->
    [true] { $n ->
        [one] 1 restart
       *[other] { $n } restarts
    }
   *[false] { $n ->
        [one] 1 round
       *[other] { $n } rounds
    }
}
live-round-in-words = { $restart ->
    [true] restart { $block } of at most { $of }
   *[false] round { $block } of at most { $of }
}
live-now = now:
live-left-out = { $restart ->
    [true] restart { $block } is left out for all variants: { $why }
   *[false] round { $block } is left out for all variants: { $why }
}
live-skipped = left out from now on, every claim about it is settled: { $skipped }
live-noticed = { $restart ->
    [true] restart { $block }: { $what }
   *[false] round { $block }: { $what }
}
live-lost = { $restart ->
    [true] { $variant } is lost for this restart: { $why }
   *[false] { $variant } is lost for this round: { $why }
}
live-given-up = { $variant } is given up: { $why }
live-slices = turns of { $length } s, { $cycles } of each server in a { $restart ->
    [true] restart
   *[false] round
}: 99 % of the answers come within { $p99 } ms
live-cycles = turns of each server in a { $restart ->
    [true] restart
   *[false] round
} from now on: { $cycles } instead of { $planned }, by the spread seen so far
live-look = after { $counted }: { $intervals }{ $left ->
    [none] {""}
   *[other] ; { $left }
}
live-trial-nothing = nothing
live-trial = { $variant }, trial { $number } ({ $stage }{ $fresh ->
    [true] , fresh
   *[false] {""}
}): { $rate } { $outcome }, { $values }
live-ceiling = the generator's ceiling at { $point }, answers up to { $kib } KiB: { $rate } exchanges/s
live-no-ceiling = the generator's ceiling at { $point } is not measured: { $why }
live-progress-time = { $warm_up ->
    [true] warm-up, { $spent_s } of { $all_s } s, { $left } left
   *[false] { $spent_s } of { $all_s } s, { $left } left
}
live-progress-requests = { $done } of { $count } requests, about { $left } left
save-variable = the study takes a credential from the variable { $name } of the environment
tune-explain = a search among { $variants } variants in { $heats } heats within { $budget }, then the best against the default; each heat is a study like this one:
save-lengths = a study has lengths of its own: -d and --warm-up are not written
doubts-shared-cpus = generator and servers share the CPU { $cpus }: what one takes the other lacks
