# One message for each code of `facts`: its identifier is the code, its variables are the fields.
fact-at-level = { $interval } with { $condition }
fact-outcome = { $outcome ->
    [connect_refused] connection refused
    [connect_timeout] no connection in time
    [connect_failed] connection failed
    [local_exhausted] no local port or descriptor was free
    [send_failed] sending failed
    [reset_fresh] a new connection was reset
    [reset_reused] a connection that had answered before was reset
    [closed_early] the connection was closed within an answer
    [timeout] no answer in time
    [unanswered] no answer in time
    [unsent] no request was sent
    [rejected] rejected
    [mismatch] mismatched
    [not_captured] without a value to capture
    [malformed] malformed
    [beyond_limit] beyond a limit of Proofload, no fault of the server
    [internal] a fault on Proofload's side
    [nothing_asked] nothing was asked
   *[other] { $outcome }
}
fact-seconds = { $seconds } s

## What was noticed while a study was planned or measured.
sends-late = sends left late: p90 { $p90_ns } of the generator's own making, { $allowed_ns } allowed; use fewer requests or more workers
worker-busy = worker { $worker } was busy { $busy_share } of the time, { $allowed_share } allowed; use more workers or another machine
worker-held-up = worker { $worker } was kept from waking for { $away_share } of the time, { $allowed_share } allowed: other programs had its CPU; give it one of its own
connections-unaccounted = Little's law: { $expected } connections in use, { $found } accounted for by throughput and service time
no-local-port = { $connections ->
    [one] local ports: 1 connection found none
   *[other] local ports: { $connections } connections found none
}, { $opened } opened, { $available } in the range; keep connections alive or widen the range
no-descriptor = { $connections ->
    [one] file descriptors: 1 connection found none
   *[other] file descriptors: { $connections } connections found none
}; raise `ulimit -n` or use fewer connections
answers-beyond-limit = { $exchanges ->
    [one] 1 answer was
   *[other] { $exchanges } answers were
} beyond a limit of Proofload itself, which the first of them names, and which is no fault of the server
load-not-offered = offered load: of { $intended } planned requests, { $unsent } ({ $unsent_share }) never left though a connection was free: the generator fell behind; use more workers or lower the rate
agent-lost = { $agent } was lost during this load, of which it reported the first { $reported_s }, and the rest of its share was not sent: { $offered_share } of the intended load was offered
agent-lost-before = { $agent } was lost before this load, and its share was not sent: { $offered_share } of the intended load was offered
token-guessable = { $path }: this token can be guessed, since it repeats itself or has few different characters; make one by `openssl rand -hex 32`
token-readable = { $path }: other users of this machine may read the token; make another one, in a file with mode 600
near-ceiling = the generator ran at { $found_share } of its ceiling, { $allowed_share } allowed ({ $why }); use more workers, more CPUs or another machine
generator-stalls = generator stalls: p99.9 = { $p999_ns }, { $allowed_ns } allowed; give it CPUs of its own, or more workers
times-lengthened = the generator's own delays lengthen { $measure ->
    [mean] the mean
   *[other] { $measure }
} by up to { $longer_share } ({ $allowed_share } allowed); give it CPUs of its own, or lower the load
tail-sent-late = late sends: p99 = { $p99_ns } caused by the generator itself, { $allowed_ns } allowed; lower the load, or give it CPUs of its own
threads-matter = with twice the threads { $measure } is { $ratio } times as much, more than ±{ $allowed_share } ({ $why }): use more workers

median-of-slices = median of { $slices } slices
of-ceiling = { $per_s } of { $most_per_s }, which it reaches against a server that does nothing
no-ceiling = ceiling not measured: { $why }
thread-pairs = { $measure } in { $pairs ->
    [one] 1 pair
   *[other] { $pairs } pairs
} of slices{ $all_variants ->
    [true] {" "}of all variants
   *[other] {""}
}
threads-share-cpus = { $measure } in { $pairs ->
    [one] 1 pair
   *[other] { $pairs } pairs
} of slices{ $all_variants ->
    [true] {" "}of all variants
   *[other] {""}
}: the threads share CPUs, which costs something
thread-pairs-too-few = could not check whether a second thread helps: too few pairs of slices ({ $pairs })
no-thread-pairs = not measured: no pair of slices with more threads
too-few-sends = no send of the generator's own timing, or too few
too-few-due = no open loop, or too few requests
too-few-exchanges = too few exchanges, or too short a window
not-closed-loop = an open loop, or too few exchanges

ceiling-not-asked = --no-ceiling was given
answers-too-long = the answers are longer than those of the server that does nothing
ceiling-not-recorded = no ceiling of this setting is on record
ceiling-agent-lost = an agent was lost
ceiling-stopped = it was stopped
ceiling-exchanges-failed = { $failed_share } of the exchanges with the server that does nothing failed
ceiling-ends-after-some = the server that does nothing cannot end connections after some exchanges
ceiling-unix-socket = the server that does nothing does not listen on a Unix socket
ceiling-proxy = the server that does nothing is not behind a proxy
ceiling-passages = connections pass through different proxies or TLS settings
ceiling-client-certificate = the server that does nothing does not ask for a client certificate
ceiling-protocol = the server that does nothing speaks HTTP only
ceiling-not-cached = the cache has no ceiling of this setting
ceiling-damaged = the ceiling in the cache cannot be read
ceiling-old = the ceiling in the cache is older than { $allowed_days } days
ceiling-other-speed = the ceiling in the cache was measured at another speed of the machine: a fixed piece of work took { $then_ns } then and takes { $now_ns } now
ceiling-can-be-measured = { $why }; proofload doctor --ceiling -c { $connections }, with the same addresses and other flags of the load, measures it
ceiling-of-agents = that of several agents is not known
no-null-server = this bench has no server that does nothing
no-certificate = { $file } is empty

steal-from-generator = the hypervisor took { $steal_share } of the generator's CPUs
steal-from-servers = the hypervisor took { $steal_share } of the servers' CPUs
cpus-slower = the CPUs were over { $slower_share } slower than before
not-idle = idle { $variant } used { $cpu_share } of a core, more than { $allowed_share }
not-spread = { $variant } warms up on its own CPUs alone, which takes longer: { $why }
not-gathered = it cannot be brought back from the generator's CPUs, on which it warmed up: { $error }; start it as a user whose threads Proofload may move

hangs = hangs: it took { $requests ->
    [one] 1 request
   *[other] { $requests } requests
} and answered none; { $sliced ->
    [true] if its answers take longer than a slice, ask it in a load that is not sliced
   *[other] if its answers take longer than the load, make the load longer
}
speaks-tls = the port speaks TLS: write https://{ $authority }
speaks-no-tls = the port does not speak TLS: write http://{ $authority }
speaks-http2 = the server speaks HTTP/2 only, and Proofload speaks HTTP/1.1: let it speak that, too
speaks-other = { $address } answers as { $protocol }, which is not what was asked: is the port right?
listens-elsewhere = nothing listens at { $address }, but something listens at { $listens }: write that address
says-nothing = { $address } accepts connections and sends nothing within { $within_ns }: is the server stuck? If it needs longer, give --timeout
redirects-to = all answers are redirects to { $to }
given-up = dropped after earlier failures: { $why }
unfit = it was unfit
not-started = was not started
no-process = no process serves it
count-not-reached = timed out before all requests were sent; raise the cap of the load
first-trial-unanswered = nothing was answered at { $rate }, mostly { $mostly }: check that the server runs, the address, and what is expected of its answers
failed = { $error }
in-warm-up = block { $block }, warm-up of { $variant }: { $what }
in-cycle = block { $block }, cycle { $cycle }, { $variant }: { $what }
in-start = block { $block }, start of { $variant }: { $what }
once-more = { $why }; once more
in-other-slice = { $variant } @ { $point }, { $long ->
    [true] in a long slice
   *[other] with other threads
}: { $what }
at = { $what } ({ $variant }{ $stream ->
    [none] {""}
   *[other] {" "}[{ $stream }]
} @ { $point })
in-slice = { $what } ({ $variant }{ $stream ->
    [none] {""}
   *[other] {" "}[{ $stream }]
} @ { $point }, block { $block }, cycle { $cycle })
in-block = { $what } ({ $variant } @ { $point }, block { $block })
noticed-in-block = block { $block }: { $what }
block-disturbed-by = block { $block } was disturbed: { $causes }
lost = { $variant } failed: { $why }
dropped-variant = { $variant } was dropped: { $why }
no-open-claim = no open claim needs it

stopped-by-signal = stopped by a signal
keeper-gone = Proofload's own process that watches the servers is gone: nothing is known of the servers, and nothing is held against them
out-of-budget = the budget was used up before the last look
no-look-in-budget = the budget ends before the first look: { $blocks } of its { $first } blocks are done, and they take longer than was reckoned; give --budget { $budget }
other-programs = other programs used { $used_cpus } of { $cpus } CPUs{ $programs ->
    [none] {""}
   *[other] : { $programs }
}; stop them, or use --wait-for-quiet
no-verdict-in-reach = ended early, for { $blocks } blocks cannot be used and more would not be better: { $what }
waits-for-quiet = waits until other programs leave the CPUs alone, now they use { $used_cpus } of { $cpus }{ $programs ->
    [none] {""}
   *[other] : { $programs }
}
never-quiet = after { $waited_ns } of waiting other programs still use { $used_cpus } of { $cpus } CPUs{ $programs ->
    [none] {""}
   *[other] : { $programs }
}; stop them, or give --wait-for-quiet more time
ended-without-a-word = it ended without a word: Proofload was killed, or the machine went down
every-variant-lost = every variant was lost in it
too-few-slices = it has { $found } of { $expected } measured slices
line-unreadable = line { $line }: { $error }
line-cut-off = line { $line } is cut off
too-many-lines = it has more than { $most } lines

sent-too-few = only { $sent_share } of the planned requests were sent
carried-too-few = only { $carried_share } of the requests that were due came to an end in time
server-gone = the server was gone after it
no-value = { $measure } has no value: nothing came to an end
does-not-hold = { $term } does not hold
never-ended = { $term }: { $unended } of { $intended } requests never came to an end
nothing-due = no request was due in it
check-failed = the check { $check } failed
connections-busy = { $most ->
    [one] the only connection was busy, and the server answered in time
   *[other] all { $most } connections were busy, and the server answered each in time
}: more connections might carry more

no-process-found = CPU, memory and all else of the processes: none was found, for the command has ended; let it stay in the foreground
no-backend = back-end bytes: no connection to a back-end port was seen
backend-late = back-end bytes: the connections were looked at too late
backend-lost = back-end bytes: too many connections to the back end ended between two looks, { $lost } of { $connections } in one slice, or were never seen
no-backend-dump = back-end bytes: { $error }
no-queue-dump = accept queues: { $error }
no-diagnosis = sockets: the kernel's socket diagnosis cannot be opened: { $error }
too-many-threads = context switches and threads by name: there are more than { $most } threads
no-total = its class histogram has no total
not-asked = live set: a JVM could not be asked: { $why }

asked-for = asked for
side-by-side = the variants run side by side
not-sliced = the load { $load } cannot be cut into slices
memory-together = { $variants } variants need about { $needed_bytes } together, { $available_bytes } are available
no-verdict = any claim: one block gives no verdict
not-restarted = the setups themselves: verdicts are between these running processes, which are not restarted
older-servers = older servers: each start is measured as soon as it is steady, after { $warm_up_cap_ns } of warm-up at the latest
no-first-look = no verdict is likely in this budget: the first look needs { $first } blocks of about { $block_s }, and there is room for { $room }; give --budget { $budget_ns }
fewer-looks = looks after { $kept } blocks: the budget has room for { $room } blocks of about { $block_s }, all { $all } would take { $budget_ns }
no-search = no capacity is likely in this budget: { $trials } trials of { $trial_s } and what confirms them take { $needed_ns }, and the budget has { $budget_ns }; give a longer --budget, or shorter trials
fewer-trials = more than { $trials } trials before the confirmation: the budget has no room for { $most }
below-noise = { $is_band ->
    [true] { $claim }: asks for a band of { $asked_share } in { $measure }; in four studies of five with { $blocks } blocks here equal servers are shown to be equal within { $reach_share }
   *[false] { $claim }: asks for a difference of { $asked_share } in { $measure }; in four studies of five with { $blocks } blocks here what is found is { $reach_share }
}; { $needed ->
    [none] that needs too many blocks
   *[other] that takes about { $needed } blocks, { $minutes } minutes
}
other-lengths = the preset's own lengths: { $lengths } was given
variant-left-out = variant { $variant }{ $why ->
    [none] {""}
   *[other] : { $why }
}
combinations-excluded = { $excluded } of { $combinations } combinations of { $subject }, which it excludes
point-left-out = load point { $point }
claim-left-out = claim { $claim }: { $text }{ $lost_side ->
    [true] , one of its variants or load points was not run
   *[other] {""}
}
expectation-left-out = expectation { $quantity }: { $range }
other-length = the load's own length, { $own_s } instead of { $instead_s }
not-tested-by-smoke = one block tests no conclusion: leave --smoke out
not-tested-by-study = { $why }
no-such-claim = the study has no claim { $claim }
cannot-stay-awake = the kernel does not let CPUs be kept awake here
not-looked-for = it was not checked whether it can be had
no-other-division = these CPUs cannot be divided in another way
cpus-of-others = running servers stay on their CPUs
differs = { $what }: { $then ->
    [none] nothing
   *[other] { $then }
} then, { $now ->
    [none] nothing
   *[other] { $now }
} now

heats-judge-nothing = any claim: these blocks search, and judge nothing
winner-of-search = how the winner was found: it is the best of a search, whose figures are in no figure here
other-servers = other servers: their own noise adds to that of the machine
equal-servers-differ = two equal servers differ in { $measure } by { $difference_share }: something favours one of them, and every verdict here
slices-move = long slices show a ratio in { $measure } that is { $difference_share } from that of short ones: studies here need longer slices (--timing slice=1s,discard=100ms)
few-blocks = { $blocks } blocks tell the spread only roughly; an audit of { $better } is better
blocks-disturbed = { $blocks ->
    [one] 1 block was disturbed by the machine and left out, as it is in any study
   *[other] { $blocks } blocks were disturbed by the machine and left out, as they are in any study
}
audit-unfit = the generator was unfit in { $slices ->
    [one] 1 slice
   *[other] { $slices } slices
}: its own noise is in the figures

one-cpu = generator and servers share CPU { $cpu }, the only one: they slow each other down, and no figure of speed is the server's alone
one-core = generator and servers run on hardware threads of one core: they slow each other down
two-cpus = two CPUs: a server has one, and is not seen at its best; use a larger machine
cpu-quota = the cgroup allows { $quota } CPUs' worth of time on { $cpus } CPUs: it stops everything for the rest of a period when that is used up
governor = frequency governor { $names }: the clock rate follows the load, and the variant
cpus-sleep = { $given_away ->
    [true] CPUs that sleep are given to other guests, and waking them takes milliseconds at times ({ $why })
   *[other] CPUs sleep between answers, and waking them takes time ({ $why })
}
sleep-not-looked-at = not looked at
no-idle-states = the kernel leaves no choice of idle states
each-gives-cpu-away = each of its idle states gives the CPU away
no-wake-up-latency = { $state } has no known wake-up latency
sleep-refused = { $path }: { $error }
machine-busy = { $processes } processes wanted to run in the last minute, on { $cpus } CPUs
load-unknown = the load average cannot be read
little-memory = { $available_bytes } of { $bytes } memory available
few-descriptors = { $soft } open files for each process: a connection takes one on each side
few-ports = { $ports } local ports ({ $first } to { $last }): as many connections to one address
short-accept-queue = a listener queues at most { $most } connections that were not accepted yet
slow-clock = clock source { $source }: a step of { $step_ns }, { $read_ns } for each read

## Why a verdict is what it is.
no-data = no complete block: nothing to judge
one-block = one block: a single start of the servers decides nothing
too-few-blocks = { $have ->
    [one] 1 block
   *[other] { $have } blocks
} so far, the next look is at { $need }
too-few-sittings = { $have ->
    [one] 1 sitting
   *[other] { $have } sittings
} so far, and where blocks are of several sittings the looks count them: the next is at { $need }; blocks of a sitting share what it had, so their number does not replace sittings
few-sittings = { $have ->
    [one] 1 sitting
   *[other] { $have } sittings
}: too few for an interval
interval-crosses = the interval allows both; the resolution is ±{ $resolution_share }; { $more_blocks ->
    [none] no number of blocks in reach would settle it
    [one] about 1 block more would settle it
   *[other] about { $more_blocks } blocks more would settle it
}
sittings-cross = the interval allows both; the resolution is ±{ $resolution_share }; { $more_sittings ->
    [none] no number of sittings in reach would settle it
    [one] about 1 sitting more would settle it
   *[other] about { $more_sittings } sittings more would settle it
}
widened-by-sittings = { $sittings } earlier sittings differed by τ = { $tau_share }, so that one sitting says this much of another: more sittings narrow it (proofload replicate)
client-limited = client-limited: { $what }
too-many-errors = { $error_share } of the exchanges of { $variant } failed; above 0.1 % no claim about speed is judged
fails-too-often = { $error_share } errors of { $variant }: above 0.1 % no threshold on speed is met
signs-disagree = the Hodges–Lehmann estimate points the other way
blocks-lost = { $blocks ->
    [one] { $lost } of 1 block was lost
   *[other] { $lost } of { $blocks } blocks were lost
}
lost-unevenly = { $variant } was lost in { $lost } of { $blocks } blocks, another in { $other }: what is left of it may be its better starts
halves-differ = the first half of the blocks shows { $first }, the second { $second }: { $errors } standard errors apart, and chance explains { $allowed }; something changed in between
slice-length = long slices show a ratio that is { $ratio } times that of short ones, in { $blocks ->
    [one] 1 block
   *[other] { $blocks } blocks
}: in these it is felt that the load went from one server to the other; use longer ones (--timing slice=1s,discard=100ms)
futile = closed early: as it is, the probability that { $blocks } blocks would settle it is { $chance_share }
spoiled-blocks = the generator was unfit in { $unfit } of { $blocks } blocks, which are left out for all variants alike
disturbed = the machine disturbed { $disturbed } of { $blocks } blocks (steal, or a lower clock frequency), and what is left is not judged; run it where it has the machine to itself
no-steady-state = still warming in { $unsteady } of { $blocks } blocks: a variant's speed still changed when its warm-up had to end{ $faster_share ->
    [none] {""}
   *[other] {" "}(by { $faster_share } within 10 s, the median of these starts)
}, or took a step while it was measured; more than a quarter is too many
beyond-warm-up = still warming in { $unsteady } of { $blocks } blocks, which does not turn it: it would be the same if what is compared changed by { $change_share } more, either way
not-resolvable = { $measure }({ $variant }) is not resolvable: { $beyond ->
    [one] as few as 1 exchange of a start lies beyond it
   *[other] as few as { $beyond } exchanges of a start lie beyond it
}, { $need } are needed; make the starts longer
measure-missing = { $measure }({ $variant }) @ { $point } has no value in { $blocks ->
    [one] 1 block
   *[other] { $blocks } blocks
}{ $needs ->
    [processes] : it needs processes that Proofload started and may look into
    [workers] : it needs at least two threads of one name that used CPU time, those that a JVM runs for itself left out
    [server] : it needs a server that Proofload started
    [backend] : no connection between the server's own processes was seen, or too many of them came and went between two looks
    [jvm] : it comes from a JVM's performance data, and no such JVM is among the server's processes
    [collections] : it needs a JVM in which there was a garbage collection
    [full-collections] : it needs a JVM whose collector counts full collections apart, as Serial, Parallel and G1 do
    [generations] : it needs a JVM whose collector has generations
    [locks] : it needs a JVM that counts contended locks, as JDK 17 does and JDK 25 does not, or count_locks: true of a Java server of the catalogue
   *[other] {""}
}
constant = constant over all blocks, compared exactly
one-measurement = one measurement, no interval: says only what was seen
limited-on-the-faster-side = the generator was the limit of the faster side alone: the difference is at least what was seen
only-lengthened = the generator was late or busy: that only lengthens times, so the decision stands
widened = the interval is wider by { $wider_share } for what the generator, late or busy, may have done to it
may-account-for = other programs, or the generator's own work, may account for { $moved_share }; the margin is { $margin_share }, and more blocks do not change that: quiet the machine, or give the generator CPUs of its own
lower-end = { $measure } of { $variant } is a lower end: requests that were never answered ({ $unanswered }) or never sent ({ $unsent }) rank beyond it
seen-only = { $starts ->
    [one] holds for the { $exchanges } exchanges of one start that were seen; with 95 % confidence, less than { $upper_share } of its exchanges fail, and another start may differ
   *[other] holds for the { $exchanges } exchanges of { $starts } starts that were seen; with 95 % confidence, less than { $upper_share } of such exchanges fail, and less than { $upper_starts_share } of starts see an error
}
in-lost-blocks = { $errors } of them in blocks that it did not complete
own-errors = { $errors ->
    [one] 1 error is
   *[other] { $errors } errors are
} of the generator's own making: no port, descriptor or memory was left, an answer exceeded a limit of Proofload, or the fault is on its side
depends-on = depends on: { $levels }{ $alike ->
    [true] ; the verdict is the same with each
   *[other] {""}
}
died = { $variant } died under load: { $what }
tolerance-within = the interval contains the tolerance; the resolution is ±{ $resolution_share }
one-side-short = { $have ->
    [one] 1 block on one side, at least { $need } are needed
   *[other] { $have } blocks on one side, at least { $need } are needed
}
capacity-confirmed = { $agreed } of { $trials } { $running ->
    [true] trials with new connections
   *[other] fresh starts
} { $passed ->
    [true] passed
   *[other] failed
} at { $rate_per_s }
capacity-interval = the interval begins as the 95 % interval of the fit of all trials, and is widened until both ends are confirmed; docs/capacity.md says how often it holds the capacity
look-below = look below { $rate_per_s }: give --from
look-above = look above { $rate_per_s }: give --to
trial-limited = { $what }
more-generator = give the generator more workers or CPUs of its own, or load from another machine
more-connections = give more connections (-c auto, --max-connections)
search-cut-off = the search was cut off before it had an answer; give it more time with --budget
no-lower-end = no lower end was confirmed by { $running ->
    [true] trials with new connections
   *[other] fresh starts
}: the server differs from trial to trial by more than an interval of some 15 %; longer trials (--trial) may help
no-upper-end = no upper end was confirmed by { $running ->
    [true] trials with new connections
   *[other] fresh starts
}: the server differs from trial to trial by more than an interval of some 15 %, or its limit lies at the end of the range; raise --to, or give longer trials (--trial)
capacity-of-process = nothing was restarted: the next start may carry another rate
too-few-levels = too few load levels ({ $have } of { $need }) to find a knee
too-few-whole-blocks = { $have ->
    [one] 1 block in which each number of connections has a value
   *[other] { $have } blocks in which each number of connections has a value
}, { $need } are needed
non-finite = non-finite figures in the record
knee-beyond = knee not observed up to { $highest } connections: none well below them come near their throughput, which may still rise
knee-at-lowest = the knee is at { $lowest } connections or below: that many already reach 95 % of the most; begin with fewer
knee-unclear = knee not observed up to { $highest } connections: { $lowest } took longer for each exchange than more of them did
loaded-at-lowest = { $lowest } connections are no low load: they wait for each other already, so the knee may be too high; begin with fewer
peak-beyond = peak not observed up to { $highest } connections: throughput may still be at its most there
peak-unclear = peak not observed up to { $highest } connections: throughput falls, but the interval of the peak does not end below that
level-left-out = { $connections ->
    [one] 1 connection left out
   *[other] { $connections } connections left out
}: { $why }
failed-share = { $error_share } of the exchanges failed
too-few-beyond = not resolvable, too few exchanges of a start lie beyond it
combinations-left-out = which settings matter: { $measure } @ { $point } of { $variants }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
} left out: { $why }
setting-unmatched = which settings matter: no effect of { $factor }: { $from } → { $to } on { $measure } @ { $point }: no two variants differ in it alone and have values in three blocks
too-few-values = no trend: { $have } values, and a trend can be told from { $need } on
value-not-finite = no trend: value { $at }, counted from 0, is not finite
no-time = no trend: all values are of one instant
grows = it grows by { $growth_share } of { $of_heap ->
    [true] the largest heap
   *[other] its level
} in an hour, in the second half as well ({ $second } in an hour){ $leak ->
    [true] : a leak
   *[other] {""}
}
grows-not = it does not grow
grows-little = it comes to at most { $most } in { $hours } hours, { $growth_share } of { $of_heap ->
    [true] the largest heap
   *[other] its level
}; below { $allowed_share } counts as no growth
fills = { $goes_on ->
    [true] filling, and not full yet: { $first } in an hour in the first half, still { $second } in the second; whether it ends takes a longer soak to tell
   *[other] filling, not leaking: { $first } in an hour in the first half, { $second } in the second, which no longer counts as growth
}
growth-unclear = { $overall ->
    [true] { $second_half ->
        [true] it grows, by less than counts as growth and more than counts as none
       *[other] it grows overall, but not surely in the second half
    }
   *[other] { $second_half ->
        [true] it grows in the second half, but not surely overall
       *[other] it may grow, or not
    }
}; the smallest detectable growth is { $detectable } in an hour ({ $detectable_share } of { $of_heap ->
    [true] the largest heap
   *[other] its level
}); a longer soak detects less
outside-heap = alarm: the live set of the heap does not grow, or by less than half as much, so what grows lies outside it: direct buffers, metaspace, threads' stacks, native code
may-be-garbage = no collection was forced: some of this may be garbage that none has looked at yet; only the live set tells a leak
classes-grew = most grew: { $classes }
class-grew = { $class } +{ $more_bytes }
more-in-flight = { $place }: cannot be true: throughput × mean is { $in_flight } requests in flight at the least, on { $connections } connections (Little's law)
time-unaccounted = { $place }: does not add up: the time of { $missing } of the { $connections } connections is unaccounted for: throughput × mean is { $used } at the most (Little's law)
below-other = { $place }: cannot be true: { $measure } is below { $other }
above-whole = { $place }: cannot be true: { $measure } is above 100 %
cores-differ = { $place }: does not add up: throughput × cpu_per_request is { $product } cores, and cpu says { $cores }
would-take = ±{ $resolution_share } would take about { $blocks } blocks, { $minutes } minutes, { $assumed ->
    [true] if the spread between blocks is usual
   *[other] at the spread seen so far
}
unknown = unknown reason (newer record)

## What limits a result.
tls-unchecked = { $variant }: the TLS certificate was NOT CHECKED (insecure): another server could have answered
exchanges-failed = { $variant ->
    [none] {""}
   *[other] { $variant }:{" "}
}{ $failed } of { $exchanges } exchanges failed, most of them: { fact-outcome }{ $example ->
    [none] {""}
   *[other] {" "}({ $example })
}
nothing-answered = { $variant ->
    [none] {""}
   *[other] { $variant }:{" "}
}nothing answered: { fact-outcome }{ $times ->
    [0] {""}
    [one] {" "}(once)
   *[other] {" "}({ $times } times)
}; { $outcome ->
    [connect_refused] start the server, or correct the address
    [connect_timeout] nothing at all comes from there: is the address right, and does a firewall drop it?
    [connect_failed] check the address; --debug shows why
    [local_exhausted] see proofload doctor
    [timeout] allow more time, or see one exchange with --debug
    [unanswered] allow more time, or see one exchange with --debug
   *[other] see one exchange with --debug
}
all-redirected = { $variant ->
    [none] {""}
   *[other] { $variant }:{" "}
}{ $redirects ->
    [one] the only answer is a redirect
   *[other] all { $redirects } answers are redirects
} ({ $status }){ $to ->
    [none] {""}
   *[other] {" "}to { $to }
}, and none was followed: the figures are theirs; --follow 5 fetches the page, or ask for its address
asks-who = { $variant ->
    [none] {""}
   *[other] { $variant }:{" "}
}the server asks who you are{ $realm ->
    [none] {""}
   *[other] {" "}(realm "{ $realm }")
}: { $scheme ->
    [basic] give --basic USER:PASSWORD, or check the ones given
    [bearer] give --bearer TOKEN, or check the one given
    [digest] by Digest: give --digest USER:PASSWORD, or check the ones given
   *[other] by { $scheme }, which Proofload does not speak
}
ends-connections = { $variant ->
    [none] {""}
   *[other] { $variant }:{" "}
}the server ended { $connections } connections after { $exchanges ->
    [one] 1 exchange
   *[other] { $exchanges } exchanges
} each without saying so (Connection: close), and { $failed ->
    [one] 1 exchange failed
   *[other] { $failed } exchanges failed
} for it: --keep-alive { $keep_alive } measures it without errors
variant-lost = { $variant } failed in { $blocks ->
    [one] 1 block
   *[other] { $blocks } blocks
}{ $given_up ->
    [true] {" "}and was dropped
   *[other] {""}
}: { $first }
generator-delays = { $from ->
    [mean] times of { $variant } @ { $point } are up to { $longer_share } too long for Proofload's own delays
    [p99] p50 of { $variant } @ { $point } is the server's; p99 and above are up to { $longer_share } too long for Proofload's own delays
   *[other] p99 of { $variant } @ { $point } is the server's; p99.9 and above are up to { $longer_share } too long for Proofload's own delays
} ({ $allowed_share } allowed): give it a CPU of its own
generator-limited = client-limited{ $variant ->
    [none] , not the server's figures
   *[other] {" "}at { $variant } @ { $point }
}{ $tails ->
    [true] {" "}for p99 and beyond
   *[other] {""}
}: { $what }
generator-held-up = other programs had Proofload's CPU for { $least_share } to { $most_share } of the time in { $unfit } of { $slices } slices ({ $allowed_share } allowed): stop them, or give it a CPU of its own
generator-unfit = client-limited in { $unfit } of { $slices } slices: { $first }
agent-missing = from block { $block } on, in { $missing } of { $slices } slices: { $what }
overloaded = overloaded: { $variant }{ $stream ->
    [none] {""}
   *[other] {" "}[{ $stream }]
} @ { $point } completed only { $completed_share } of scheduled requests; latencies grow with run length. Lower the rate.
unsent = overloaded: { $unsent } of { $intended } intended requests{ $variant ->
    [none] {""}
   *[other] {" "}of { $variant }
} never left, the connections were too few or the server too slow for this rate; times are lower ends
dropped = { $many ->
    [true] only a part of the planned load was offered: { $dropped } of { $intended } intended requests
   *[other] { $dropped } of { $intended } intended requests
}{ $variant ->
    [none] {""}
   *[other] {" "}of { $variant }
} ({ $dropped_share }) found no free connection and were dropped{ $many ->
    [true] ; times are lower ends
   *[other] {""}
}
unanswered = { $unanswered ->
    [one] 1 request
   *[other] { $unanswered } requests
}{ $variant ->
    [none] {""}
   *[other] {" "}of { $variant }
} had no answer at the end: errors, and longer than any time that is known
surplus-answers = { $variant ->
    [none] {""}
   *[other] { $variant } @ { $point }:{" "}
}{ $surplus ->
    [one] at least 1 more answer came than requests were sent
   *[other] at least { $surplus } more answers came than requests were sent
}: others may have been taken for those to later requests
one-start = a check that everything works: one start of each server gives no verdict; leave --smoke out for one
running-servers = one start of each, not restarted: a verdict is about these processes; for the setups, give commands with {"{"}port{"}"}
slices-marked = { $marked ->
    [one] 1 of { $slices } slices is marked, and its cycle left out for all variants alike
   *[other] { $marked } of { $slices } slices are marked, and their cycles left out for all variants alike
}: { $first }
block-damaged = block { $block } is damaged, and not judged: { $what }
blocks-excluded = { $blocks ->
    [one] 1 block was begun and not finished: on record, not judged
   *[other] { $blocks } blocks were begun and not finished: on record, not judged
}
block-left-out = block { $block } was disturbed by the machine, and was left out for all variants: { $causes }
block-disturbed = block { $block } was disturbed by the machine: { $causes }
no-verdict-in-time = { $what }
fewer-looks-in-time = { $what }
not-tested = not tested: { $what }
young-servers = young servers, { $from_s } to { $to_s } after start{ $jvm ->
    [true] ; a JVM may not have reached its steady state
   *[other] {""}
}; --thorough measures older ones
machine = machine: { $what }
threads-not-checked = could not check whether a second generator thread helps{ $places ->
    [none] {""}
   *[other] {" "}at { $places }
}: more threads might change the result
quantile-not-resolvable = { $measure } is not resolvable where it is marked ≈: { $beyond ->
    [one] as few as 1 exchange of a start lies beyond it
   *[other] as few as { $beyond } exchanges of a start lie beyond it
}, { $need } are needed; make the starts longer
longer-starts = measuring longer per start would narrow { $measure } of { $places }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
}: within-start noise exceeds half the spread between starts
steadiness-not-measured = steady state of { $variant }: not measured, for neither its CPU per exchange nor its throughput says anything
no-scalability = no knee or peak can be given: { $reasons }
factors-explored = which settings matter was explored, not claimed: of { $main_effects } main effects, each an average over the other settings, and { $interactions } interactions; { $shown ->
    [0] no interaction is shown, for none has an interval that excludes 1
    [one] 1 interaction is shown, the interval of which excludes 1
   *[other] { $shown } interactions are shown, the intervals of which exclude 1
}; with a probability of { $error_share } at most any of all these is reported although there is nothing (Holm), where the number of blocks was fixed before and not by what was found
factors-not-told = cannot tell which settings matter: no effect has matched combinations in three blocks
factor-left-out = { $why }
figure-left-out = { $place }: { $why }
not-explored = exploratory: { $shown } of { $comparisons } comparisons that no claim declares are shown; declare a claim for any other
servers-own = seen, not claimed in advance: CPU time of a request, { $over } / { $under } @ { $point }: { $cost }; one CPU would carry { $over_per_s } and { $under_per_s }; the claim for a study: `{ $declare }`
saturated = closed loop without think time: latencies are those of a saturated server and follow from its throughput (N/X)
loopback = generator and servers share this machine; on loopback the kernel charges part of a server's TCP work to the sender
network-part = the network has its part in every response time: a small exchange with a server that does nothing takes { $p50_ns }, { $part_share } of the median of { $variant }, the quickest
telemetry-cost = looking at the servers' processes took { $cores_share } of a core beside them
no-processes = the processes behind a url: are not Proofload's to look into: no CPU, memory, sockets or collector figures of them
telemetry-missing = not measured: { $what }
fixed-warm-up = the warm-up was a fixed time; steady state was not checked
serial = serial: the variants ran one after the other, so what drifts within a block stays in the comparison; their order is balanced over the blocks
shared-process = shared: the variants share one process, so each also pays for what the others left behind
spared = { $variant } @ { $point } was left out of { $blocks ->
    [one] 1 block
   *[other] { $blocks } blocks
}: every claim about it was settled by then
resumed = resumed { $times ->
    [one] once
   *[other] { $times } times
}{ $cut ->
    [none] {""}
    [0] {""}
    [one] ; 1 block was cut off by that: on record, not judged, not counted as lost
   *[other] ; { $cut } blocks were cut off by that: on record, not judged, not counted as lost
}
resumed-elsewhere = resumed although something had changed: { $what }
repeats = repeats { $run }{ $differences ->
    [none] {""}
   *[other] , with differences: { $differences }
}
delayed-ack = answers end about 40 ms after their first byte: Nagle's algorithm waits for a delayed ACK; set TCP_NODELAY on the server, or let it write head and body at once
syns-dropped = { $late } answers came 1, 3 or 7 s late and were served at once: a dropped SYN, the listen backlog is too short; lengthen it (listen(2), net.core.somaxconn)
silences = { $silences ->
    [one] no answer for { $longest_ns } once. A closed loop hides it
   *[other] { $silences } silences of { $typical_ns }, { $period_ns ->
        [none] the longest { $longest_ns }
       *[other] every { $period_ns }
    }. A closed loop hides them
}{ $rate ->
    [none] {""}
   *[other] : try -r { $rate }
}
redirects = { $redirects ->
    [one] 1 answer was a redirect
   *[other] { $redirects } answers were redirects
}; { $followed ->
    [0] none was followed
    [one] 1 was followed, as part of its exchange
   *[other] { $followed } were followed, as part of their exchanges
}
redirects-elsewhere = { $redirects ->
    [one] 1 redirect
   *[other] { $redirects } redirects
} led to { $origin }
connections-opened = connections were opened while none was free: { $began } at first, { $peak } in the end ({ $full ->
    [true] as many as allowed
   *[other] { $most } allowed
})
short-soak = the longest soak took { $hours } h: what grows by little, or only after hours, is not seen in less than 2 h
forced-collections = { $collections ->
    [one] 1 full collection was
   *[other] { $collections } full collections were
} forced in the soak, half of them took { $median_ns } or more, the longest { $longest_ns }: latencies and throughput are with them, trends of latencies without those seconds
capacity-no-ceiling = the generator's ceiling in this setting is not known: that it was fit is based on its other checks
rough-objective = { $measure } is based on little: a trial had { $requests } requests, { $beyond ->
    [0] none of which lies beyond it
    [one] 1 of which lies beyond it
   *[other] { $beyond } of which lie beyond it
}; give longer trials (--trial), or a higher --from
capacity = { $variant }: { $why }
baseline-not-paired = the comparison with the baseline is not paired: the runs were made at different times, and a machine that changed between them is within the ratio
baseline-without-spread = how much the figures differ between sittings is not known (four runs like the baseline beside it would show it): where it is 5 to 7 %, an equal run regresses in 12 to 20 of 100 comparisons
baseline-other-build = the baseline was measured by another build of Proofload: { $what }; the ratio has what that changed
baseline-differs = the baseline is not comparable and was compared all the same: { $what }
baseline-lacks = the baseline has no { $what }
sittings-differ = not the same in all sittings: { $what }; if it matters, it is within their spread
sittings-not-planned = how many sittings there are was not fixed before the first: the intervals hold if it was not chosen for what they showed
sittings-close = { $sittings ->
    [one] 1 sitting began
   *[other] { $sittings } sittings began
} less than 30 minutes after the one before it ended: what changes over hours is hardly within their spread
limits-of-each = what limits each sitting is in its own report
