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
answers-after-the-load = { $late } of them after the load
errors-of = errors { $n } ({ $share }): { $what }
record-at = record { $path }
more-verbose-and-more-v = and { $n } more: -v
latency = latency
generator-fit-busy = { $busy ->
    [none] generator fit
   *[other] generator fit ({ $busy } busy)
}
