verdicts = Verdicts
sentences = What was found of each claim
expectations = Expected and found
published-elsewhere = Published elsewhere, on other machines; shown beside what was found here, never judged
figures = Figures
outcomes = Outcomes
requests = Requests
steps = Steps and journeys
request-columns = request | exchanges | throughput | p50 | p99 | errors
requests-others = { $n ->
    [one] 1 other
   *[other] { $n } others
}
environment = Environment
parameters = Parameters
limits = Limits of this test
bad-answers = First bad answers
bar-at = at { $low }
bar-from-to = from { $low } to { $high }
bar-above = above { $low }
bar-below = below { $high }
bar-everywhere = everywhere
bar-on-a-logarithmic-scale = { $interval } on a logarithmic scale from { $from } to { $to }; the claim holds { $holds }
blocks = { $n ->
    [one] 1 block
   *[other] { $n } blocks
}
headline-ratio = { $measure ->
    [none] { $over } { $sure ->
        [true] serves
       *[false] served
    } { $times } times as many requests as { $under }{ $at }{ $rest }, { $basis }
   *[other] { $measure } of { $over } { $sure ->
        [true] is
       *[false] was
    } { $times } times that of { $under }{ $at }{ $rest }, { $basis }
}
at-least-ratio = at least { $ratio }
at-most-ratio = at most { $ratio }
headline-undecided = { $line } (undecided)
headline-no-interval = , no interval
expected-range = expected { $range }
expected-from = expected { $range } ({ $source })
machine-fact = machine: { $what }
claim = claim
expectation = expectation
verdict-columns-verdict = verdict
verdict-columns-based-on = based on
verdict-columns-why = why
reasons = More on the verdicts
the-run = the run
variant = variant
errors = errors
response-time = response time
service-time = service time
first-byte = first byte
first-byte-column = first byte p50 / p99
send-delay = send delay
workload = workload
preset-preset = preset
mode = mode
blocks-word = blocks
conditions = conditions
cpus = CPUs
generator = generator
proofload = proofload
kernel = kernel
cpu-model = CPU
memory = memory
loop-of = { $point }, { $model } loop
asked = { $workload }; seed { $seed }
complete-and-excluded = { $complete } complete, { $excluded } excluded
cpus-generator-subjects = generator { $generator }, subjects { $subjects }
generator-nothing-was-answered = nothing was answered
generator-fit = generator fit
generator-not-fit = not fit
generator-agents = { $agents ->
    [one] 1 agent
   *[other] { $agents } agents
}{ $lost ->
    [0] {""}
   *[other] , { $lost } of them lost ({ $count } planned { $n ->
        [one] exchange
       *[other] exchanges
    } not offered)
}, clocks within { $within }
generator-threads = { $threads ->
    [one] 1 thread
   *[other] { $threads } threads
}
generator-of-cpu-per-exchange = { $cost } of CPU per exchange, { $threads }, { $driver }, { $fit }
sent-and-received = { $sent } sent, { $received } received
headline-single = { $per_s } answered per second over { $seconds } s, p50 { $quantile }, p99 { $quantile2 }, { $errors } errors
more-lines = … and { $n } more
left-out-for-length = Left out for length: { $sections }.
answered = { $n } exchanges answered
published-columns = quantity | published | found | found / published | source
latency-columns = {" "}| count | mean | p50 | p90 | p99 | p99.9 | max
answered-column = answered
bytes = bytes
tally-of = { $n } { $word }
headline-alike = { $measure ->
    [none] { $over } and { $under } serve alike within { $band }{ $at }{ $rest }, { $basis }
   *[other] { $measure } of { $over } and { $under } is alike within { $band }{ $at }{ $rest }, { $basis }
}
claim-serves-more = { $first } serves more than { $other }
claim-serve-alike = { $first } and { $other } serve alike
headline-open = { $over } or { $under }{ $at }: undecided, ×{ $ratio }, { $basis }
details = Details
