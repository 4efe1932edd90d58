doctor-text-good = 良好
doctor-text-warning = 警告
doctor-text-bad = 不佳
doctor-finding-cores = CPU 核：{ $division }
doctor-finding-governor-all-cpus-run = 调频：所有 CPU 都采用 performance 策略
doctor-finding-governor-frequency-governor-the = 调频：策略为 { $names }：时钟频率随负载变化，也随变体变化
doctor-finding-sleep = 休眠：{ $asleep }
doctor-finding-load-the-load-average = 负载：无法读取平均负载
doctor-finding-unlimited = 不限
doctor-finding-descriptors-open-files-for = 描述符：每个进程可打开 { $soft } 个文件，最多 { $hard } 个：一个连接在两端各占一个
doctor-finding-ports-the-range-of = 端口：无法读取临时端口的范围
doctor-finding-accept-queue-a-listener = 接受队列：监听套接字最多容纳 { $most } 个尚未接受的连接
doctor-finding-unknown = 未知
doctor-finding-clock-clock-source-a = 时钟：时钟源 { $source }：步长 { $step_ns } ns，每次读取 { $read_ns } ns
doctor-finding-jdk-no-jdk-found = jdk { $major }：没有找到 JDK { $major }：需要它的被测服务无法构建或启动
doctor-finding-jdk = jdk { $major }：{ $listed }
doctor-finding-maven = maven：{ $path }
doctor-finding-maven-no-mvn-on = maven：PATH 中没有 mvn：尚未缓存的 Java 被测服务无法获取
doctor-finding-lock-nobody-measures-on = 锁：这台机器上没有正在进行的测量
doctor-finding-lock-measures-on-this = 锁：{ $holder }正在这台机器上测量
doctor-finding-lock = 锁：{ $error }
doctor-finding-leftovers-no-subject-outlived = 残留：没有残留的被测服务进程
doctor-finding-leftovers-processes-of-runs = 残留：Proofload 及其守护进程被杀死后仍在运行的进程：{ $pids }
division-the-cgroup-allows-cpus = cgroup 允许在 { $count } 个 CPU（{ $names }）上使用相当于 { $quota } 个 CPU 的时间：用完之后，在该周期余下的时间里所有进程都会停顿
division-cpus-on-cores-for = { $count } 个 CPU，{ $cores } 个核：{ $ours } 用于发压端，{ $theirs } 用于被测服务
division-generator-and-subjects-share = 发压端与被测服务共用唯一的 CPU { $cpu }：它们互相拖慢，任何速度数据都不只属于被测服务
division-generator-and-subjects-run = 发压端与被测服务在同一个核的两个硬件线程上运行：它们互相拖慢
division-two-cpus-one-for = 两个 CPU，一个用于发压端，一个用于所有被测服务：需要多个核的被测服务发挥不出最佳水平
asleep-cpus-are-kept-awake = 测量期间 CPU 保持唤醒
asleep-cpus-sleep-no-deeper = 测量期间 CPU 的唤醒延迟不超过 { $waking_us } µs
asleep-cpus-that-sleep-are = 休眠的 CPU 会分给其他虚拟机，唤醒有时需要几毫秒（{ $why }）
asleep-cpus-sleep-between-answers = CPU 在两次应答之间休眠，唤醒需要时间（{ $why }）
remedy-give-whole-cpus-docker = 请分配整个 CPU（docker --cpuset-cpus），而不是份额
remedy-measure-on-a-machine = 请在有两个核以上的机器上测量
remedy-four-cores-or-more = 建议四核以上
remedy-cpupower-frequency-set-g = cpupower frequency-set -g performance（以 root 身份）
remedy-measure-as-root-or = 请以 root 身份测量，或授予写 /dev/cpu_dma_latency 的权限；内核没有空闲状态时：modprobe cpuidle-haltpoll
remedy-measure-as-root-or-with-the = 请以 root 身份测量，或授予写 /dev/cpu_dma_latency 的权限
remedy-end-what-else-is = 请停止其他正在运行的程序，或等它们完成
remedy-end-other-programs-raise = 请停止其他程序、提高限额，或减小被测服务的堆
remedy-raise-the-hard-limit = 请提高硬限制（LimitNOFILE=、/etc/security/limits.conf）
remedy-ulimit-n = ulimit -n { $hard }
remedy-sysctl-net-ipv4-ip = sysctl net.ipv4.ip_local_port_range="15000 60999"（以 root 身份）
remedy-sysctl-net-core-somaxconn = sysctl net.core.somaxconn=4096（以 root 身份）
remedy-boot-with-clocksource-tsc = 请用内核参数 clocksource=tsc 重新启动，或换一台机器测量
remedy-apt-get-install-openjdk = apt-get install openjdk-17-jdk-headless，或设置 JAVA_HOME
remedy-install-temurin-from-adoptium = 请从 adoptium.net 把 Temurin { $major } 安装到 /usr/lib/jvm 下，或设置 JAVA_HOME；只有要求它的实验才需要
remedy-apt-get-install-maven = apt-get install maven
remedy-wait-for-it-or = 请等它完成，或停止它
remedy-remove-what-is-at = 请移走该路径上的文件
remedy-proofload-doctor-clean = proofload doctor --clean
doctor-load = { $quiet ->
    [true] 负载：较空闲，最近一分钟平均有 { $count } 个进程需要 CPU
   *[false] 负载：最近一分钟平均有 { $count } 个进程需要 CPU，而 CPU 只有 { $cpus } 个
}
doctor-memory = 内存：可用 { $available } MiB，共 { $all } MiB{ $limit ->
    [none] {""}
   *[other] ，cgroup 允许 { $limit } MiB
}
doctor-ports = 端口：{ $count } 个临时端口（{ $first } 到 { $last }）：到同一地址的连接最多也只有这么多；{ $reused ->
    [true] 在回环接口上，关闭的端口一秒后即可重用
   *[false] 关闭的端口要等一分钟才能重用（net.ipv4.tcp_tw_reuse）
}
