verdicts = Verdicts
sentences = What was found of each claim
expectations = Expected and found
published-elsewhere = Published elsewhere, on other machines; shown beside what was found here, never judged
figures = Figures
outcomes = Outcomes
environment = Environment
parameters = Parameters
limits = Limits of this test
bad-answers = First bad answers
interval = { $point } [{ $low }, { $high }]
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
headline-throughput-serves = serves
headline-throughput-served = served
headline-throughput-times-as-many-requests = { $over } { $verb } { $times } times as many requests as { $under }{ $at }{ $rest }, { $basis }
headline-measure-is = is
headline-measure-was = was
headline-measure-of-times-that-of = { $measure } of { $over } { $verb } { $times } times that of { $under }{ $at }{ $rest }, { $basis }
at-least-ratio = at least { $ratio }
at-most-ratio = at most { $ratio }
headline-undecided = { $line } (undecided)
headline-no-interval = , no interval
expected-range = expected { $range }
expected-from = expected { $range } ({ $source })
telemetry-cost-looking-at-the-servers = looking at the servers' processes took { $cores } of a core beside them
no-processes = the processes behind a url: are not Proofload's to look into: no CPU, memory, sockets or collector figures of them
not-measured = not measured: { $what }
young-servers-a-jvm-may-not = ; a JVM may not have reached its steady state
young-servers = young servers, { $from_s } to { $to_s } s after start{ $warns }
overloaded-completed-only-of = overloaded: { $variant }{ $stream } @ { $point } completed only { $share } of scheduled requests; latencies grow with run length. Lower the rate.
processes = a verdict between these two running processes, not between the setups: nothing was restarted
serial = serial: the variants ran one after the other, so what drifts within a block stays in the comparison; their order is balanced over the blocks
shared = shared: the variants share one process, so each also pays for what the others left behind
lost-and-was-given-up = {" "}and was given up
lost-did-not-get-through = { $variant } did not get through { $blocks }{ $given_up }: { $first }
spared = { $variant } @ { $point } was left out of { $blocks }: every claim about it was settled by then
saturated = closed loop without think time: latencies are those of a saturated server and follow from its throughput (N/X)
loopback = generator and servers share this machine; on loopback the kernel charges part of a server's TCP work to whoever sends
fixed-warm-up = the warm-up was a fixed time; steady state was not checked
smoke = one block: a check that everything works, not a measurement
excluded = { $blocks } begun and not finished: on record, not judged
unfit = client-limited in { $n } of { $of } slices: { $first }
marked = { $n } of { $of } slices are marked, and their cycles left out for all variants alike: { $first }
taken-out = , one of its variants or load points was not run
not-tested = not tested: { $taken_out }
machine-fact = machine: { $what }
client-limited-figures = client-limited: these are the generator's figures, not the server's
unsent = overloaded: { $n } of { $of } intended requests were never sent, the connections were too few or the server too slow for this rate; times are lower ends
dropped-of-intended-requests-were = { $n } of { $of } intended requests were dropped: no connection was free
dropped-only-of-the-planned = only { $share } % of the planned load was offered: { $what }; times are lower ends
grown-as-many-as-allowed = as many as allowed
grown-allowed = { $most } allowed
grown-connections-were-opened-while = connections were opened while none was free: { $began } at first, { $peak } in the end ({ $limit })
redirects-answers-were-redirects-none = { $all } answers were redirects; none was followed
redirects-answers-were-redirects-were = { $all } answers were redirects; { $on } were followed, as part of their exchanges
unanswered-requests-were-still-unanswered = { $n } requests were still unanswered at the end: errors, and longer than any time that is known
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
invalid = no verdict can be based on it: the generator was the limit, or nothing was answered
answered = { $n } exchanges answered
published-columns = quantity | published | found | found / published | source
latency-columns = {" "}| count | mean | p50 | p90 | p99 | p99.9 | max
answered-column = answered
bytes = bytes
tally-of = { $n } { $word }
