delayed-ack = answers end about 40 ms after their first byte: Nagle's algorithm waits for a delayed ACK; set TCP_NODELAY on the server, or let it write head and body at once
dropped-syns = { $late } answers came 1, 3 or 7 s late and were served at once: a dropped SYN, the listen backlog is too short; lengthen it (listen(2), net.core.somaxconn)
nothing-answered-nothing-was = nothing answered: nothing was asked
nothing-answered-connection-refused = connection refused
nothing-answered-start-the-server-or = start the server, or correct the address
nothing-answered-no-connection-in-time = no connection in time
nothing-answered-check-the-address-and = check the address and the firewall
nothing-answered-connection-failed = connection failed
nothing-answered-check-the-address-debug = check the address; --debug shows why
nothing-answered-no-local-port-or = no local port or descriptor was free
nothing-answered-see-proofload-doctor = see proofload doctor
nothing-answered-no-answer-in-time = no answer in time
nothing-answered-allow-more-time-or = allow more time, or see one exchange with --debug
nothing-answered-no-request-was-sent = no request was sent
nothing-answered-see-one-exchange-with = see one exchange with --debug
nothing-answered-see-one-exchange-with-debug = see one exchange with --debug
nothing-answered-times = { $n ->
    [one] once
   *[other] { $count } times
}
nothing-answered = nothing answered: { $what } ({ $times }); { $remedy }
load-of-connections = { $n ->
    [one] { $count } connection
   *[other] { $count } connections
}
load-of-s = { $seconds } s
load-of-loop = { $label }, { $model } loop, { $time }
answers = { $n ->
    [one] 1 answer
   *[other] { $count } answers
}
errors-of = errors { $n } ({ $share }): { $what }
record-at = record { $path }
generator-limited = client-limited, not the server's figures: { $finding }; lower the rate, give more --workers, or see proofload doctor
more-verbose-and-more-v = and { $n } more: -v
latency = latency
silence = no answer for { $longest } once. A closed loop hides it{ $rate ->
    [none] {""}
   *[other] : try -r { $rate }
}
silences = { $count } silences of { $typical }, { $period ->
    [none] the longest { $longest }
   *[other] every { $period }
}. A closed loop hides them{ $rate ->
    [none] {""}
   *[other] : try -r { $rate }
}
generator-fit-busy = { $busy ->
    [none] generator fit
   *[other] generator fit ({ $busy } busy)
}
