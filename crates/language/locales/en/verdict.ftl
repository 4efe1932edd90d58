basis-the-same-in-all = the same in all blocks
basis-estimate = estimate { $told }
basis-hodges-lehmann = Hodges–Lehmann { $told }
basis-no-interval = no interval
rests-on-borrowed = { $used ->
    [true] spread { $own }, with { $spread } borrowed from
   *[false] by its own spread of { $own }, not the { $spread } of
  } { $relatives } like figures { $earlier ->
    [true] of earlier runs
   *[false] of this study
  }{ $used ->
    [true] {" "}(without it { $plain })
   *[false] {""}
  }
arrivals-and-answers = { $loops } loop, { $counts } responses
outcome-at = { $word }, at { $between } { $why }
exactly = {""}
sentence = { $found } ({ $basis }). Claim "{ $claim }": { $outcome }.{ $spread ->
    [none] {""}
   *[other] {" "}{ $spread }
}
pair-throughput-times = { $over } serves { $bound ->
    [at-least] at least { $times } times
    [at-most] at most { $times } times
   *[none] { $times } times
} as many requests{ $stream } as { $under }
pair-throughput = { $over } serves { $bound ->
    [at-least] at least { $share }
    [at-most] at most { $share }
   *[none] { $share }
} { $more ->
    [true] more
   *[false] fewer
} requests{ $stream } than { $under }
pair-cpu-times = { $over } uses { $bound ->
    [at-least] at least { $times } times
    [at-most] at most { $times } times
   *[none] { $times } times
} as much CPU time for a request as { $under }
pair-cpu = { $over } uses { $bound ->
    [at-least] at least { $share }
    [at-most] at most { $share }
   *[none] { $share }
} { $more ->
    [true] more
   *[false] less
} CPU time for a request than { $under }
pair-per-cpu-times = { $over } serves { $bound ->
    [at-least] at least { $times } times
    [at-most] at most { $times } times
   *[none] { $times } times
} as many requests per second of CPU time as { $under }
pair-per-cpu = { $over } serves { $bound ->
    [at-least] at least { $share }
    [at-most] at most { $share }
   *[none] { $share }
} { $more ->
    [true] more
   *[false] fewer
} requests per second of CPU time than { $under }
pair-measure-times = { $measure }{ $stream } of { $over } is { $bound ->
    [at-least] at least { $times } times
    [at-most] at most { $times } times
   *[none] { $times } times
} that of { $under }
pair-measure = { $measure }{ $stream } of { $over } is { $bound ->
    [at-least] at least { $share }
    [at-most] at most { $share }
   *[none] { $share }
} { $more ->
    [true] higher
   *[false] lower
} than that of { $under }
pair-within = { $found }: { $differ ->
    [true] practically equivalent
   *[false] equivalent
} within ±{ $band }
level-difference = { $left } less { $right } is { $bound ->
    [at-least] at least { $value }
    [at-most] at most { $value }
   *[none] { $value }
}
level-times = { $left } is { $bound ->
    [at-least] at least { $value } times
    [at-most] at most { $value } times
   *[none] { $value } times
} { $right }
level = { $left } is { $bound ->
    [at-least] at least { $value }
    [at-most] at most { $value }
   *[none] { $value }
}
basis-interval = { $confidence } { $anytime ->
    [true] anytime-valid
   *[false] repeated
} interval { $low } … { $high }
blocks-made-of = { $n ->
    [one] 1 block
   *[other] { $n } blocks
} of { $restarted ->
    [true] fresh starts
   *[false] the running processes
} { $serial ->
    [true] one after the other
   *[false] in cycles
}
outcome-in-this-sitting = { $word } in this sitting
