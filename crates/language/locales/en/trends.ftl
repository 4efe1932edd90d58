trends-over-the-soak = Trends over the soak
trend = of
trend-verdict = no growth
trend-measure-live-set-after-forced = live set after forced collections
trend-measure-used-heap-the-least = least used heap between collections
trend-measure-resident-memory = resident memory
trend-measure-open-descriptors = open descriptors
trend-measure-p50-of-each-second = p50 of each second
trend-measure-p99-of-each-second = p99 of each second
trend-of = { $block ->
    [none] { $measure } of { $place }
   *[other] { $measure } of { $place }, block { $block }
}
trend-rests-on = { $per_hour } in an hour, { $each ->
    [none] {""}
   *[other] { $each } with each request,{" "}
}{ $confidence }, level { $level }, { $values } values over { $hours } h after { $left_out } left out
