trends-over-the-soak = Trends over the soak
trend = of
outside-the-heap = alarm: the live set of the heap does not grow, or by less than half as much, so what grows lies outside it: direct buffers, metaspace, threads' stacks, native code
may-be-garbage = no collection was forced: some of this may be garbage that none has looked at yet; only the live set tells a leak
trend-verdict = no growth
trend-measure-live-set-after-forced = live set after forced collections
trend-measure-used-heap-the-least = least used heap between collections
trend-measure-resident-memory = resident memory
trend-measure-open-descriptors = open descriptors
trend-measure-p50-of-each-second = p50 of each second
trend-measure-p99-of-each-second = p99 of each second
trend-it-does-not-grow = it does not grow
classes = most grew: { $growth }
trend-of = { $block ->
    [none] { $measure } of { $place }
   *[other] { $measure } of { $place }, block { $block }
}
trend-rests-on = { $per_hour } in an hour, { $each ->
    [none] {""}
   *[other] { $each } with each request,{" "}
}{ $confidence }, level { $level }, { $values } values over { $hours } h after { $left_out } left out
trend-growth = it grows by { $share } of { $of_heap ->
    [true] the largest heap
   *[false] its level
} in an hour, in the second half as well ({ $second } in an hour){ $is_leak ->
    [true] : a leak
   *[false] {""}
}
trend-no-growth = it comes to at most { $most } in { $hours } hours, { $share } of { $of_heap ->
    [true] the largest heap
   *[false] its level
}; below { $allowed } counts as no growth
trend-filling = { $goes_on ->
    [true] filling, and not full yet: { $first } in an hour in the first half, still { $second } in the second; whether it ends takes a longer soak to tell
   *[false] filling, not leaking: { $first } in an hour in the first half, { $second } in the second, which no longer counts as growth
}
trend-undecided = { $grows ->
    [late] it grows in the second half, but not surely overall
    [overall] it grows overall, but not surely in the second half
    [little] it grows, by less than counts as growth and more than counts as none
   *[perhaps] it may grow, or not
}; the smallest detectable growth is { $detectable } in an hour ({ $share } of { $of_heap ->
    [true] the largest heap
   *[false] its level
}); a longer soak detects less
no-trend-too-few = no trend: { $have } values, and a trend can be told from { $need } on
no-trend-not-finite = no trend: value { $at }, counted from 0, is not finite
no-trend-no-time = no trend: all values are of one instant
