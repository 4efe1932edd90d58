# Errors: what could not be done, where, and what to do.
## Records on disk.
store-full = cannot { $what ->
    [append] append to
   *[other] { $what }
} { $path }: the disk is full; free some space, or choose another place with --dir
store-io = cannot { $what ->
    [append] append to
   *[other] { $what }
} { $path }: { $source }; { $kind ->
    [denied] check who owns the directory and its mode
    [read-only] the file system is read-only, choose another place with --dir
    [missing] check that the path exists
    [taken] something else has that name, move it away
   *[other] check the disk and the path
}
store-not-a-run = { $path } is no run: it has no plan.json; name a directory like runs/<study>/<id> or runs/<study>/latest
store-damaged = { $path } is damaged: { $why }; restore it from a copy, or measure again
store-too-large = this record takes more than { $most } MiB of memory up to { $path }, more than any study leaves; restore the record from a copy, or remove it
store-newer = { $path } has format { $found }, this Proofload reads formats 1 to { $known }; read it with the Proofload that wrote it, or a newer one
store-in-use = { $path } is being conducted by another process; wait for it to end
store-name = "{ $name }" is no plain file name; use letters, digits, dots, hyphens
store-encode = cannot encode { $what }: { $source }; this is a fault of Proofload, please report it
store-unfinished = { $path } cannot be finished: a slice could not be written to it before; the block does not count, measure it again

## Servers.
subject-unknown = no subject `{ $folder }` in the catalogue { $catalogue }; there are: { $known }
subject-no-catalogue = no folder with a subject.yaml in { $path } ({ $from }); name the folder that holds the subjects
subject-parameter = subject { $subject }: { $why }
subject-not-applicable = subject { $subject }: not applicable on JDK { $jdk }: { $why }
subject-no-jdk = subject { $subject } needs JDK { $wanted }, found { $found ->
    [none] none
   *[other] { $found }
}; install one (Debian: apt install openjdk-{ $wanted }-jdk-headless), point JAVA_HOME to it, or set the parameter `jdk`
subject-unpinned = subject { $subject }: { $what } is not pinned in { $lock }; add its lines by `proofload subjects add { $coordinate } --to { $subject }`
subject-offline = subject { $subject }: --offline, and the cache lacks { $missing }; run once without --offline where there is a network
subject-no-apt = subject { $subject } needs Debian packages, and `apt-get` or `dpkg-deb` is not in PATH; use Debian or Ubuntu, or parameters that need no package
subject-package-gone = subject { $subject }: Debian's mirror has { $packages } no more (its pool keeps the newest version only); pin today's by `proofload subjects add debian:PACKAGE --to { $subject }`, or point apt's sources to snapshot.debian.org{ $lines }
subject-packages-failed = subject { $subject }: apt-get could not fetch { $packages }: { $how }; check the network and apt's sources; what is in the cache works without either{ $lines }
subject-no-maven = subject { $subject } needs files from Maven Central, and `mvn` is not in PATH; install Maven (Debian: apt install maven); once fetched, it is not needed again
subject-fetch-failed = subject { $subject }: Maven could not fetch { $coordinates }: { $how }; check the network and Maven's settings (proxy, mirror); what is in the cache works without either{ $lines }
subject-mismatch = { $file } is not the file that { $lock } pins: SHA-256 { $found }, pinned { $pinned }; { $remedy }
subject-archive = { $archive }: member `{ $member }` is refused: { $why }; do not use this archive
subject-build = subject { $subject } could not be built: { $how }{ $lines }
subject-cache-held = { $path } has been made by another Proofload for { $seconds } s; wait for it or end it
subject-no-keeper = the keeper of the subjects could not be started: { $why }
subject-keeper-gone = the keeper of the subjects has ended unexpectedly; `proofload doctor --clean` removes what it left
subject-not-started = subject { $subject }: `{ $program }` could not be started: { $why }; check the command, the directory and the CPUs
subject-died-at-start = subject { $subject } ended before it was ready: { $exit }; its log { $log }:{ $lines }
subject-died = subject { $subject } died: { $exit }; its log { $log }:{ $lines }
subject-hangs = subject { $subject } hangs: for { $seconds } s { $missing }; its log { $log }:{ $lines }
subject-too-much-memory = subject { $subject } had { $used } MiB of memory, more than its { $limit } MiB, and was killed; give it less load or heap, or allow more: memory_max in its subject.yaml, memory of a command in the study
subject-killed-by-kernel = subject { $subject } was killed by the kernel, for the machine or its group had no memory left; free memory, or give it a smaller heap; its log { $log }:{ $lines }
subject-jvm-out-of-memory = subject { $subject } ran out of its own memory (java.lang.OutOfMemoryError); give it a larger heap or less load; its log { $log }:{ $lines }
subject-never-ready = subject { $subject } was not ready after { $seconds } s: { $missing }; allow more time or see its log { $log }:{ $lines }
subject-port-taken = subject { $subject }: port { $port } is taken by { $by }, which this run did not start; end it or choose another port
subject-no-port = no free port between { $first } and { $last } on { $address }: either others listen on all of them, or the address is not one of this machine's
subject-no-answer = nothing answers at { $authority } ({ $address }): { $why }; start it first, or let Proofload start it with `command:`
subject-unclean-stop = subject { $subject }: { $what }; `proofload doctor --clean` ends what is left
subject-contract = subject { $subject } declares under answers: { $word }; { $why }; correct the server or the declaration
subject-interrupted = interrupted
subject-log-empty = (its log is empty)
subject-files = { $path }: { $what ->
    [apt] was not brought by apt-get
    [cache] cannot be used as a cache; set PROOFLOAD_CACHE
    [list] its files cannot be listed
    [lock] cannot be locked
    [make] cannot be made
    [make-in] no directory can be made in it
    [maven] was not brought by Maven
    [move] cannot be moved
    [name] the working directory has no name
    [no-cache] no place for a cache
    [open] cannot be opened
    [path] is not a path
    [remove] cannot be removed
    [write] cannot be written
   *[read] cannot be read
}: { $source }

## Agents.
agents-nobody-there = nobody answers at { $at } for { $seconds } s ({ $last }): start `proofload coordinator` there, or correct --join
agents-token = { $at } does not know our token ({ $what }): give both sides the same --token-file
agents-agent-refused = the coordinator refuses this agent: { $why }
agents-coordinator-lost = the coordinator is gone ({ $why }): what was under way here has ended
agents-missing = { $came } of { $wanted } agents joined within { $seconds } s{ $here ->
    [none] {""}
   *[other] {" "}({ $here })
}; missing: { $missing }; their own output says why, or give --wait more time
agents-stopped = ended while waiting for agents
agents-missing-numbers = number { $numbers }
agents-missing-some = { $absent } of any number
agents-and-more = { $shown } and { $more } more
agents-listener-ended = the listener has ended
agents-connection-ended = the connection ended
agents-speaks-otherwise = it speaks otherwise: { $error }
cannot-make-runtime = cannot make a runtime
agents-token-file = --token-file { $path }: its first line has to have { $least } to { $most } characters that nobody guesses; `openssl rand -hex 32 > token` makes one
agents-all-there = all agents are there already
agents-taken-for-lost = it is taken for lost: { $why }

## Places.
pack-too-large = the files that go along with the study are more than { $what }: leave out what it does not need
pack-read = { $path } cannot be read: { $source }
pack-files = { $files } files
kubernetes-name = name `{ $name }`: 1 to { $most } small letters, digits and hyphens are possible, the first a letter, the last no hyphen
kubernetes-namespace = namespace `{ $name }`: 1 to { $most } small letters, digits and hyphens are possible, no hyphen first or last
kubernetes-image = image `{ $image }`: a name such as registry.example/proofload:1.0 is needed, without spaces
kubernetes-cpu = { $of ->
    [agent] CPUs of each agent
   *[coordinator] CPUs of the coordinator
}: `{ $text }`; a whole number such as 1 is needed, since parts of a CPU are taken away in turns
kubernetes-memory = { $of ->
    [agent] memory of each agent
   *[coordinator] memory of the coordinator
}: `{ $text }`; a number with Ki, Mi, Gi, Ti, k, M, G or T is needed, such as 512Mi
kubernetes-path = file `{ $path }`: a path below the study's folder is needed, without `..` and hidden names; move it there
kubernetes-too-large = files of the study have { $bytes } bytes together; a Secret holds { $most }: leave out what the study does not need, or build an image that has it
kubernetes-odd = { $text } has a line break, a tab or another control character in it: leave it out

## Exports.
export-histogram = block { $block }, { $label }: the histogram of response times: { $source }
export-contradiction = block { $block }, { $label }: { $answered } exchanges answered, but { $timed } response times: the record is damaged
export-nothing = hgrm: nothing was measured
export-too-many-lines = jtl: { $exchanges } exchanges, and it has a line for each, { $most } at most: write hlog, parquet or csv, which hold any number of exchanges, or measure for a shorter time

## This machine.
host-cannot-move = thread { $thread } of process { $process } cannot be moved to other CPUs: { $why }
host-restless = process { $process } begins threads faster than they can be moved to other CPUs
host-no-such-cpu = CPU { $cpu } is beyond what this system can name
host-no-file = it is no file, but a folder, a device, a socket or an empty pipe
host-file-too-large = it is larger than { $most }
host-silent-pipe = nothing comes from this pipe
host-lock-held = { $holder } measures on this machine; two at once would measure each other: wait for it or end it
host-lock-stopped = stopped while waiting for { $holder } to finish measuring
host-lock-not-a-file = { $path }: { $what ->
    [link] a symbolic link
    [directory] a directory
    [socket] a socket
    [names] a file with several names
   *[other] a device, pipe or directory
} where the measuring lock should be: remove it
host-lock-io = { $path }: the measuring lock cannot be { $action ->
    [lock] locked
   *[open] opened
}: { $source }
host-lock-holder = { $pid ->
    [none] another process
   *[other] process { $pid }
}{ $who ->
    [none] {""}
   *[other] {" "}({ $who })
}{ $since ->
    [none] {""}
   *[other] {" "}since { $since }
}
host-lock-waiting = waiting for { $holder } to finish measuring on this machine

## The generator and what plans ask of it.
engine-descriptors = needs { $needed } file descriptors, the limit is { $limit }: lower the connections or raise the hard limit, `ulimit -Hn`
engine-driver = cannot use the { $driver } driver: { $why }; use the epoll driver
engine-too-late = the load was to begin { $seconds } s before its workers were ready: give a later instant
feed-used-up = all { $rows } rows of a feeder were taken, and its order gives none twice: give it more rows, or another order
engine-no-driver = cannot make the driver of a worker
setup-failed = setup or teardown: step { $step }: { $why }
engine-cannot-start = cannot start
engine-cannot-wait = cannot wait for the network
engine-cannot-pin = cannot pin a worker to its CPU
plan-claim = plan.json: claim "{ $claim }": { $why }
plan-request = workload { $entry }: { $source }
run-changed = { $path } is a record of something else
run-places = the study names places; only proofload run and coordinator go there: run it so, or take them out
run-large-bodies = { $bytes } of files go to each of the agents as bodies, for each load; at most { $most } may: leave the agents out, or send smaller files
run-few-connections = load: { $few }: fewer connections than the { $agents } agents, each of which needs one; raise the connections, or take fewer agents

## Pages and figures.
ui-cannot-listen = cannot listen on 127.0.0.1:{ $port }: { $source }; choose another --port, or leave it out for a free one
ui-no-random = the system gives no random numbers for the token in the address: { $source }
ui-cannot-wait = cannot wait for requests: { $source }

## What is read of JVMs.
attach-no-handler = it takes no requests: it does not handle SIGQUIT
attach-silent = it takes no requests: nothing listened on { $path } within 5 s
attach-slow = it did not come to the end of its answer within 60 s
attach-stopped = it was not waited for
attach-foreign = { $path } is not the JVM's socket
attach-refused = it answered: { $answer }
attach-its-answer = its answer
attach-a-file = a file in /tmp
attach-the-process = the process
attach-signalling = signalling it
attach-its-socket = its socket
attach-connecting = connecting to it
attach-asking = asking it

## The reference server.
reference-bad-value = { $what } { $value } cannot be used: { $wrong }; write it such as { $expected }
reference-listen = cannot listen on { $address }: { $source }; choose another --port, or end the process that holds it
reference-descriptors = { $needed } descriptors are needed and { $allowed } allowed: lower --connections-max or raise `ulimit -Hn`
reference-file = cannot write { $path }: { $source }; check the path and the free space
reference-tls = { $path } cannot be used for TLS: { $wrong }
reference-kernel = the kernel refused { $what }: { $source }
reference-not-arrivals = { $path } is no log of arrivals: { $wrong }
wrong-no-unit = the unit is missing
wrong-unit-of-time = the unit is none of ns, us, ms, s, m
wrong-duration = it is no duration
wrong-too-long = it is too long
wrong-unit-of-size = the unit is none of B, KiB, MiB, GiB, kB, MB, GB
wrong-size = it is no size
wrong-too-large = it is too large
wrong-probability = it is no probability
wrong-over-one = it is greater than 1
wrong-tls-version = it is not spoken
wrong-sum = the probabilities exceed 1 together
wrong-no-period = the period is missing
wrong-zero = length and period must be greater than zero
wrong-stall = the stall is not shorter than its period
wrong-drip-every = drip_every is not between 1us and 1s
wrong-over-a-minute = it is longer than a minute
wrong-no-distribution = it names no distribution
wrong-two-delays = it has two delays
wrong-range = the range has no ..
wrong-backwards = the range runs backwards
wrong-spins-twice = it spins twice
wrong-distribution = the distribution is not known
wrong-over-a-gib = it is larger than 1GiB
reference-workers = the number of workers must be 1 to 64
reference-no-connection = at least one connection must be allowed
reference-close-after = a connection cannot be closed after 0 answers; 1 is keep-alive off
reference-servers = the number of servers must be 1 to 1024
reference-queue = a queue has one order of arrival: use one worker with --servers
reference-null-time = the null server takes no time: leave out --service and --servers
reference-null-faults = the null server neither stalls nor fails: leave out --stall and --faults
reference-null-tls = the null server does not fail: leave out --tls-faults
reference-null-close = the null server closes after one answer or never: use --close-after 1 or leave it out
reference-null-size = the null server's answer has one size of at most 64KiB
expected-duration = a number with a unit, such as 200us, 1.5ms or 2s
expected-size = a number of bytes, such as 1024, 4KiB or 10kB
expected-probability = a number from 0 to 1, such as 0.01, or a percentage, such as 1%
value-tls-faults = the list of TLS faults
expected-tls-faults = garbage=0.01,stall=1% with names out of garbage, refuse, hang_up, stall, no_close_notify
value-stall = the stall schedule
expected-stall = length/period, such as 200ms/2s
value-faults = the list of faults
expected-faults = reset_before=0.01,status_500=1% with names out of reset_before, reset_within, reset_after, wrong_length, short_body, surplus, status_500, drip, silence, drip_every
value-service = the service time
value-body = the body size
value-tls-version = the version of TLS
wrong-arrivals-head = it does not begin with PLARRIV1
wrong-arrivals-cut = its last record is cut
wrong-no-certificate = it has no certificate; write one in PEM
wrong-no-key = it has no unencrypted key; write one in PEM
wrong-one-missing = it is missing beside the others; delete ca.pem, cert.pem, key.pem, client.pem and client-key.pem, and all are made anew
wrong-no-equals = { $pair } has no =
wrong-twice = { $name } is given twice
wrong-fault = no fault is named { $name }

## Figures while a run goes on.
metrics-bad-address = { $text } is no port and no address; write 9464, or 127.0.0.1:9464
metrics-bad-endpoint = { $text } is no address of a collector; write http://127.0.0.1:4318, or env
metrics-with-user = an address with a user name would be recorded; leave it out, and put the credentials into OTEL_EXPORTER_OTLP_HEADERS
metrics-with-query = behind an address with a query no path can be added; write env, and put the whole address, with its /v1/metrics, into OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
metrics-no-endpoint = OTEL_EXPORTER_OTLP_ENDPOINT is not set; set it, or write the address, such as http://127.0.0.1:4318
metrics-bad-variable = { $name } cannot be read: it is { $wanted }
metrics-no-authorities = cannot read the authorities that this system trusts: { $why }
metrics-status = it answered { $status }{ $body ->
    [none] {""}
   *[other] : { $body }
}
metrics-unreadable = it answered { $status }, and the rest could not be read: { $why }
metrics-no-answer = it answered { $status } with { $kind ->
    [none] what is no answer of a collector
   *[other] { $kind }, which is no answer of a collector
}
metrics-rejected = it rejected { $points } of the values: { $why }
metrics-pushes-failed = { $failed } of { $all } pushes to { $endpoint } failed, the latest of them: { $latest }; { $at_end ->
    [true] the collector lacks the end, the record does not
   *[false] the next one made up for it
}
metrics-push-abandoned = the last push to { $endpoint } was not over in time; the collector may lack the end, the record does not
metrics-serving = figures for Prometheus at http://{ $address }/metrics
metrics-milliseconds = a number of milliseconds
metrics-pairs = pairs such as key=value,key=value
started-stopped = it was stopped
started-too-long = it took longer than { $seconds } s
