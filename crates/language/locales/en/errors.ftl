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
