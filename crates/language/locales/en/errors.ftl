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
store-too-large = the blocks of this record take more than { $most } MiB up to { $path }, more than any study leaves; restore the record from a copy, or remove it
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
agents-count = agents: { $agents }; 1 to { $most } are possible
agents-missing-numbers = number { $numbers }
agents-missing-some = { $absent } of any number
agents-and-more = { $shown } and { $more } more
agents-listener-ended = the listener has ended
agents-connection-ended = the connection ended
agents-speaks-otherwise = it speaks otherwise: { $error }
cannot-make-runtime = cannot make a runtime
agents-cannot-speak = cannot speak to the coordinator
agents-cannot-start = cannot start agent { $index }
agents-token-file = --token-file { $path }: its first line has to have { $least } to { $most } characters that nobody guesses; `openssl rand -hex 32 > token` makes one
agents-all-there = all agents are there already
agents-taken-for-lost = it is taken for lost: { $why }

## Places.
pack-too-large = { $path } holds more than { $what }: with servers elsewhere the folder of the study goes there; give the study a folder with nothing else in it
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
kubernetes-study = study `{ $study }` is not among the files: add it, or name one of them
kubernetes-path = file `{ $path }`: a path below the study's folder is needed, without `..`; move it there
kubernetes-too-large = files of the study have { $bytes } bytes together; a ConfigMap holds { $most }: leave out what the study does not read, or build an image that has it
kubernetes-argument = argument `{ $argument }` is set for the cluster: leave it out
kubernetes-odd = { $text } has a line break, a tab or another control character in it: leave it out
kubernetes-token = the token has to be one line of 32 to 4096 characters: make one by `openssl rand -hex 32`
kubernetes-time = { $what }: at least one second is needed
kubernetes-wait = how long coordinator and agents wait for each other
kubernetes-deadline = deadline

## Exports.
export-histogram = block { $block }, { $label }: the histogram of response times: { $source }
export-contradiction = block { $block }, { $label }: { $answered } exchanges answered, but { $timed } response times: the record is damaged
export-nothing = hgrm: nothing was measured
export-too-many-lines = jtl: { $exchanges } exchanges, and it has a line for each, { $most } at most: write hlog, parquet or csv, which hold any number of exchanges, or measure for a shorter time

## This machine.
host-cannot-move = thread { $thread } of process { $process } cannot be moved to other CPUs: { $why }
host-restless = process { $process } begins threads faster than they can be moved to other CPUs
host-no-such-cpu = CPU { $cpu } is beyond what this system can name
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
engine-descriptors = needs { $needed } file descriptors, the limit is { $limit }: lower the connections or raise `ulimit -n`
engine-driver = cannot use the { $driver } driver: { $why }; use the epoll driver
engine-too-late = the load was to begin { $seconds } s before its workers were ready: give a later instant
engine-no-driver = cannot make the driver of a worker
engine-cannot-start = cannot start
engine-cannot-wait = cannot wait for the network
engine-cannot-pin = cannot pin a worker to its CPU
plan-claim = plan.json: claim "{ $claim }": { $why }
plan-request = workload { $entry }: { $source }
run-changed = { $path } is a record of something else
run-places = the study names places; only proofload run and coordinator go there: run it so, or take them out
run-few-connections = load: { $few }: fewer connections than the { $agents } agents, each of which needs one; raise the connections, or take fewer agents

## Pages and figures.
ui-cannot-listen = cannot listen on 127.0.0.1:{ $port }: { $source }; choose another --port, or leave it out for a free one
ui-no-random = the system gives no random numbers for the token in the address: { $source }
ui-cannot-wait = cannot wait for requests: { $source }

## What is read of JVMs.
hsperf-io = the performance-data file cannot be read: { $source }
hsperf-not-the-jvms = the performance-data file is { $what }
hsperf-malformed = not a performance-data file: { $what } at byte { $at }
hsperf-not-yet = the JVM has not opened its performance data to readers yet
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
hsperf-ends = it ends
hsperf-magic = another magic number
hsperf-byte-order = an unknown byte order
hsperf-version = another version than 2
hsperf-size = a negative size
hsperf-not-plain = not a plain file
hsperf-of-another = another user's
