doctor-text-good = good
doctor-text-warning = warning
doctor-text-bad = bad
doctor-finding-cores = cores: { $division }
doctor-finding-governor-all-cpus-run = governor: all CPUs run under the governor performance
doctor-finding-governor-frequency-governor-the = governor: frequency governor { $names }: the clock rate follows the load, and the variant
doctor-finding-sleep = sleep: { $asleep }
doctor-finding-load-the-load-average = load: the load average cannot be read
doctor-finding-unlimited = unlimited
doctor-finding-descriptors-open-files-for = descriptors: { $soft } open files for each process, { $hard } at most: a connection takes one on each side
doctor-finding-ports-the-range-of = ports: the range of ephemeral ports cannot be read
doctor-finding-accept-queue-a-listener = accept queue: a listener queues at most { $most } connections that were not accepted yet
doctor-finding-unknown = unknown
doctor-finding-clock-clock-source-a = clock: clock source { $source }: a step of { $step_ns } ns, { $read_ns } ns for each read
doctor-finding-jdk-no-jdk-found = jdk { $major }: no JDK { $major } found: its subjects cannot be built or started
doctor-finding-jdk = jdk { $major }: { $listed }
doctor-finding-maven = maven: { $path }
doctor-finding-maven-no-mvn-on = maven: no mvn on the PATH: Java subjects that are not in the cache yet cannot be fetched
doctor-finding-lock-nobody-measures-on = lock: nobody measures on this machine
doctor-finding-lock-measures-on-this = lock: { $holder } measures on this machine
doctor-finding-lock = lock: { $error }
doctor-finding-leftovers-no-subject-outlived = leftovers: no subject outlived its run
doctor-finding-leftovers-processes-of-runs = leftovers: processes of runs whose Proofload and keeper were killed: { $pids }
division-the-cgroup-allows-cpus = the cgroup allows { $quota } CPUs' worth of time on { $count } CPUs ({ $names }): it stops everything for the rest of a period when that is used up
division-cpus-on-cores-for = { $count } CPUs on { $cores } cores: { $ours } for the generator, { $theirs } for subjects
division-generator-and-subjects-share = generator and subjects share CPU { $cpu }, the only one: they slow each other down, and no figure of speed is the subject's alone
division-generator-and-subjects-run = generator and subjects run on hardware threads of one core: they slow each other down
division-two-cpus-one-for = two CPUs, one for the generator and one for all subjects: a subject that needs several cores is not seen at its best
asleep-cpus-are-kept-awake = CPUs are kept awake while somebody measures
asleep-cpus-sleep-no-deeper = CPUs sleep no deeper than { $waking_us } us while somebody measures
asleep-cpus-that-sleep-are = CPUs that sleep are given to other guests, and waking them takes milliseconds at times ({ $why })
asleep-cpus-sleep-between-answers = CPUs sleep between answers, and waking them takes time ({ $why })
remedy-give-whole-cpus-docker = give whole CPUs (docker --cpuset-cpus) and not a share
remedy-measure-on-a-machine = measure on a machine with two cores or more
remedy-four-cores-or-more = four cores or more leave room for both sides
remedy-cpupower-frequency-set-g = cpupower frequency-set -g performance (as root)
remedy-measure-as-root-or = measure as root or with the right to write /dev/cpu_dma_latency; without idle states: modprobe cpuidle-haltpoll
remedy-measure-as-root-or-with-the = measure as root, or with the right to write /dev/cpu_dma_latency
remedy-end-what-else-is = end what else is running, or wait until it is done
remedy-end-other-programs-raise = end other programs, raise the limit, or give the subjects a smaller heap
remedy-raise-the-hard-limit = raise the hard limit (LimitNOFILE=, /etc/security/limits.conf)
remedy-ulimit-n = ulimit -n { $hard }
remedy-sysctl-net-ipv4-ip = sysctl net.ipv4.ip_local_port_range="15000 60999" (as root)
remedy-sysctl-net-core-somaxconn = sysctl net.core.somaxconn=4096 (as root)
remedy-boot-with-clocksource-tsc = boot with clocksource=tsc, or measure on another machine
remedy-apt-get-install-openjdk = apt-get install openjdk-17-jdk-headless, or set JAVA_HOME
remedy-install-temurin-from-adoptium = install Temurin { $major } from adoptium.net below /usr/lib/jvm, or set JAVA_HOME; only studies that ask for it need it
remedy-apt-get-install-maven = apt-get install maven
remedy-wait-for-it-or = wait for it, or end it
remedy-remove-what-is-at = remove what is at that path
remedy-proofload-doctor-clean = proofload doctor --clean
doctor-load = { $quiet ->
    [true] load: quiet: { $count } processes wanted to run in the last minute
   *[false] load: { $count } processes wanted to run in the last minute, on { $cpus } CPUs
}
doctor-memory = memory: { $available } MiB of { $all } MiB available{ $limit ->
    [none] {""}
   *[other] , the cgroup allows { $limit } MiB
}
doctor-ports = ports: { $count } ephemeral ports ({ $first } to { $last }): as many connections to one address; { $reused ->
    [true] on loopback one that was closed is reused after a second
   *[false] one that was closed waits for a minute (net.ipv4.tcp_tw_reuse)
}
