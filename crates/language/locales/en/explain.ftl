explain-variants = Variants
explain-workload = Workload
explain-load-points = Load points
explain-expected = Expected
explain-published = Published elsewhere
explain-objective = Objective
explain-first-order = Order in block 1
explain-cpus = CPUs
explain-conditions = Conditions of measuring
explain-not-tested = Not tested
explain-free-port = address: 127.0.0.1, a free port chosen at each start ({"{"}port{"}"})
explain-slices-adapt = shorter slices in more cycles where the answers of the first warm-up allow it: 20 times their p99, at least 0.2 s (0.05 s before it are discarded)
explain-cycles-adapt = after the first look as many cycles as the spread between slices and between starts makes worthwhile, 2 to 60
explain-futility = a claim that is unlikely to be settled by the last look is closed early, as undecided
explain-skipping = variants that no open claim needs are not measured any more
explain-study = Study { $study }: { $question }
explain-claims = Claims ({ $count } at all load points, error rate { $alpha } over all of them)
explain-figures = { $source }: { $figures } figures
explain-conditions-vary-none-of-them-varies = none of them varies: verdicts hold for this manner of asking
explain-time = Time ({ $preset })
explain-search-length = at most: { $most }; budget { $budget }
explain-length-s = { $seconds } s
explain-length-min = { $seconds } min
explain-seed = seed: { $seed }
explain-command = command: { $line }
explain-address = address: 127.0.0.1:{ $port }
explain-digest = { $file }: sha256 { $digest }
explain-transport-proxy-asked-for-a = proxy: { $proxy }, asked for a tunnel (CONNECT)
explain-transport-proxy-forwards = proxy: { $proxy }, sent the requests in absolute form
explain-transport-no-proxy = { $used ->
    [true] no proxy for { $no_proxy }
   *[false] no proxy: this server is in { $no_proxy } (no_proxy, or NO_PROXY in the environment)
}
explain-transport-tls = TLS: { $line }
explain-tls-trusts = trusts { $trusts }
explain-tls-has-a-client-certificate = has a client certificate
explain-mode = mode: { $mode }, { $mode_reason }
explain-cycle = cycle { $number }: { $variants }
explain-time-outs = time-outs: connect { $connect } s, response { $response } s
explain-conclusion = { $was ->
    [none] { $says }: tested by { $claims }
   *[other] { $says } (was { $was }): tested by { $claims }
}
explain-conclusion-not-tested = { $was ->
    [none] { $says }: not tested: { $why }
   *[other] { $says } (was { $was }): not tested: { $why }
}
explain-cpus-generator = generator: { $cpus ->
    [none] not pinned
   *[other] { $cpus }
}
explain-cpus-subjects = subjects: { $cpus ->
    [none] not pinned
   *[other] { $cpus }
}
explain-conditions-vary = they vary over the blocks, evenly: an interval holds for all of them. That costs no block where the servers compare alike under each; a ratio that is 10 % higher under one level takes { $dependent ->
    [none] many blocks
   *[other] { $dependent } blocks
} for ±5 % instead of { $usual ->
    [none] many
   *[other] { $usual }
}, and is told
explain-search = search: at most { $trials_max } trials of { $trial } s for each variant ({ $discarded } s before it are discarded), then the confirmation of both ends
explain-search-block = block: { $restarted ->
    [true] a fresh start
   *[false] new connections
}, a fixed warm-up of { $warm_up } s, at most 8 trials
explain-tls = { $versions } with { $server_name }, offers { $offers ->
    [none] nothing
   *[other] { $offers }
}, { $resumed ->
    [true] sessions are resumed
   *[false] sessions are never resumed
}
explain-tls-not-checked = NOT CHECKED: another server could answer (insecure)
explain-load-point-open = { $label }: open, { $rate } requests a second, { $arrival } arrivals
explain-load-point-users = { $label }: open, { $rate } new users a second, { $arrival } arrivals
explain-load-point-shape = { $whole ->
    [true] { $shape }, carried out whole
   *[false] { $shape }
}
explain-load-point-think-time-s = think time { $seconds } s
explain-load-point-think-time = think time { $think }
explain-block = block: { $restarted ->
    [true] fresh start of every variant
   *[false] a stretch of time
}, { $warm_up_cap ->
    [none] a fixed warm-up of { $warm_up } s
   *[other] a warm-up until they are steady, at most { $warm_up_cap } s (estimated with { $reckoned } s; { $warm_up } s where it cannot be told)
} { $serial ->
    [true] one after the other, each with its share
   *[false] that they share in turns
}
explain-cycles = then { $cycles ->
    [one] 1 cycle
   *[other] { $cycles } cycles
}; in each, { $whole ->
    [true] every load point { $serial ->
        [true] for it
       *[false] on every variant
    } as long as it takes
   *[false] for every load point, { $slice } s { $serial ->
        [true] for it
       *[false] on every variant
    } ({ $discarded } s before it are discarded)
}
explain-looks-anytime = looks: after every block from { $first } to { $last } (--keep-going); bounds that hold at all of them
explain-looks = looks: after { $looks } blocks; it ends early when every claim is settled
explain-blocks = { $steady ->
    [true] up to the last look
   *[false] at most
}: { $blocks ->
    [one] 1 block
   *[other] { $blocks } blocks
} of about { $each } s, { $all }; budget { $budget }
explain-connections = { $connections } connections
explain-users = at most { $users } users at once
explain-connections-up-to = { $connections } connections, up to { $most } while none is free
explain-dropped = requests that find none free are dropped
explain-sent-together = sent together within { $coalesce }
