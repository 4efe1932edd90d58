trends-over-the-soak = Trends over the soak
trend = of
trend-verdict = no growth
trend-of-block = , block { $block }
trend-of-of = { $trend_measure } of { $place }{ $block }
trend-measure-live-set-after-forced = live set after forced collections
trend-measure-used-heap-the-least = used heap, the least between collections,
trend-measure-resident-memory = resident memory
trend-measure-open-descriptors = open descriptors
trend-measure-p50-of-each-second = p50 of each second
trend-measure-p99-of-each-second = p99 of each second
trend-rests-on-with-each-request = , { $each } with each request
trend-rests-on-in-an-hour-level = { $per_hour } in an hour{ $each }, { $row }, level { $level }, { $row2 } values over { $hours } h after { $row3 } left out
classes = most grew: { $growth }
short-soak = the longest soak took { $hours } h: what grows by little, or only after hours, is not seen in less than 2 h
forced-collections-full-collections = { $n ->
    [one] 1 full collection was
   *[other] { $n } full collections were
}
forced-collections-forced-in-the-soak = { $n } forced in the soak, half of them took { $median_ns } or more, the longest { $longest_ns }: latencies and throughput are with them, trends of latencies without those seconds
