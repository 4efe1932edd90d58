# `facts` 的每个代码一条消息：标识即代码，变量即字段。
fact-outcome = { $outcome ->
    [connect_refused] 连接被拒绝
    [connect_timeout] 未能及时建立连接
    [connect_failed] 连接失败
    [local_exhausted] 没有空闲的本地端口或描述符
    [send_failed] 发送失败
    [reset_fresh] 新连接被重置
    [reset_reused] 复用的连接被重置
    [closed_early] 应答中途连接被关闭
    [timeout] 未能及时应答
    [unanswered] 未能及时应答
    [unsent] 没有发出任何请求
    [rejected] 被拒绝
    [mismatch] 内容不符
    [not_captured] 缺少要提取的值
    [malformed] 格式错误
    [beyond_limit] 超出 Proofload 自身的限制，并非服务器的过错
    [internal] Proofload 自身的问题
    [nothing_asked] 没有任何请求
   *[other] { $outcome }
}
fact-seconds = { $seconds } 秒

## 规划或测量实验时注意到的情况。
sends-late = 发送偏晚：由发压端自身造成的延迟 p90 为 { $p90_ns }，容许 { $allowed_ns }；请减少请求或增加工作线程
worker-busy = 工作线程 { $worker } 有 { $busy_share } 的时间处于忙碌状态，容许 { $allowed_share }；请增加工作线程或换一台机器
worker-held-up = 工作线程 { $worker } 有 { $away_share } 的时间该醒来却没有得到 CPU，容许 { $allowed_share }：可能被其他进程抢占；请给它专用的 CPU
connections-unaccounted = 利特尔法则：使用中的连接有 { $expected } 个，而吞吐量与服务时间之积只能解释 { $found } 个
no-local-port = 本地端口不足：{ $connections } 个连接没有端口可用，已打开 { $opened } 个，范围内共有 { $available } 个；请保持连接，或扩大端口范围
no-descriptor = 文件描述符不足：{ $connections } 个连接没有描述符可用；请提高 `ulimit -n`，或减少连接
answers-beyond-limit = { $exchanges } 个应答超出 Proofload 自身的限制（首个此类应答中已指明），并非服务器的过错
load-not-offered = 负载未能全部施加：计划的 { $intended } 个请求中有 { $unsent } 个（{ $unsent_share }）虽有空闲连接却从未发出，发压端跟不上；请增加工作线程或降低速率
agent-lost = { $agent } 在这次负载中失联，只报告了前 { $reported_s }，其份额的其余部分没有发送：实际施加了预定负载的 { $offered_share }
agent-lost-before = { $agent } 在这次负载之前已失联，其份额没有发送：实际施加了预定负载的 { $offered_share }
token-guessable = { $path }：此令牌可被猜出，因为它有重复或不同字符太少；请用 `openssl rand -hex 32` 生成
token-readable = { $path }：本机其他用户可读取此令牌；请重新生成，并将文件权限设为 600
near-ceiling = 发压端已达到其上限的 { $found_share }，容许 { $allowed_share }（{ $why }）；请增加工作线程或 CPU，或换一台机器
generator-stalls = 发压端停顿：p99.9 为 { $p999_ns }，容许 { $allowed_ns }；请给它专用的 CPU，或增加工作线程
times-lengthened = 发压端自身的延迟使{ $measure ->
    [mean] 均值
   *[other] {" "}{ $measure }{" "}
}最多偏长 { $longer_share }（容许 { $allowed_share }）；请给它专用的 CPU，或降低负载
tail-sent-late = 发送偏晚：由发压端自身造成的延迟 p99 为 { $p99_ns }，容许 { $allowed_ns }；请降低负载，或给它专用的 CPU
threads-matter = 发压端线程加倍后，{ $measure } 变为原来的 { $ratio } 倍，超出 ±{ $allowed_share }（{ $why }）：请增加工作线程

median-of-slices = { $slices } 个时间片的中位数
of-ceiling = { $per_s }，对空服务器最高可达 { $most_per_s }
no-ceiling = 上限未测得：{ $why }
thread-pairs = { $all_variants ->
    [true] { $measure }，所有变体共 { $pairs } 对时间片
   *[other] { $measure }，{ $pairs } 对时间片
}
threads-share-cpus = { $all_variants ->
    [true] { $measure }，所有变体共 { $pairs } 对时间片
   *[other] { $measure }，{ $pairs } 对时间片
}：各线程共用 CPU，因此有所损失
thread-pairs-too-few = 未能检查多一个线程是否有帮助：只有 { $pairs } 对时间片，太少
no-thread-pairs = 未测得：没有用更多线程对照的时间片
too-few-sends = 没有由发压端定时的发送，或次数太少
too-few-due = 不是开环，或请求太少
too-few-exchanges = 交互太少，或窗口太短
not-closed-loop = 是开环，或交互太少

ceiling-not-asked = 指定了 --no-ceiling
answers-too-long = 应答比空服务器的应答还长
ceiling-not-recorded = 记录中没有这一设置的上限
ceiling-stopped = 测量被中止
ceiling-exchanges-failed = 与空服务器的交互有 { $failed_share } 失败
ceiling-ends-after-some = 空服务器不能在若干次交互后关闭连接
ceiling-unix-socket = 空服务器不监听 Unix 套接字
ceiling-proxy = 空服务器前面没有代理服务器
ceiling-passages = 各连接使用的代理服务器或 TLS 设置不同
ceiling-client-certificate = 空服务器不要求客户端证书
ceiling-protocol = 空服务器只支持 HTTP
ceiling-not-cached = 缓存中没有这一设置的上限
ceiling-damaged = 缓存中的上限无法读取
ceiling-old = 缓存中的上限已超过 { $allowed_days } 天
ceiling-other-speed = 缓存中的上限是在机器速度不同时测得的：同一段固定的计算当时用时 { $then_ns }，现在用时 { $now_ns }
no-null-server = 这个测试台没有空服务器
no-certificate = { $file } 是空文件

steal-from-generator = 虚拟机管理器占用了发压端 CPU 的 { $steal_share }
steal-from-servers = 虚拟机管理器占用了服务器 CPU 的 { $steal_share }
cpus-slower = CPU 比之前慢了 { $slower_share } 以上
not-idle = 应当空闲的 { $variant } 用了一个核的 { $cpu_share }，超过 { $allowed_share }
not-spread = { $variant } 只在自己的 CPU 上预热，因此用时更长：{ $why }
not-gathered = 它在发压端的 CPU 上预热后无法移回：{ $error }；请以 Proofload 有权移动其线程的用户身份启动它

hangs = 服务器没有响应：收到 { $requests } 个请求，一个也没有应答；{ $sliced ->
    [true] 若应答用时确实比时间片长，请改用不切片的负载
   *[other] 若应答用时确实比负载长，请延长负载
}
not-started = 没有启动
no-process = 没有进程为它提供服务
count-not-reached = 请求没有在规定时间内全部发出；请提高负载的时间上限
first-trial-unanswered = 速率为 { $rate } 时没有得到任何应答，结局多为 { $mostly }：请检查服务器是否在运行、地址以及对应答的期望
failed = { $error }
in-warm-up = 区组 { $block }，{ $variant } 预热时：{ $what }
in-cycle = 区组 { $block }，循环 { $cycle }，{ $variant }：{ $what }
in-start = 区组 { $block }，启动 { $variant } 时：{ $what }
once-more = { $why }；再试一次
in-other-slice = { $variant } @ { $point }，{ $long ->
    [true] 长时间片中
   *[other] 换用其他线程数时
}：{ $what }
at = { $what }（{ $variant }{ $stream ->
    [none] {""}
   *[other] {" "}[{ $stream }]
} @ { $point }）
in-slice = { $what }（{ $variant }{ $stream ->
    [none] {""}
   *[other] {" "}[{ $stream }]
} @ { $point }，区组 { $block }，循环 { $cycle }）
in-block = { $what }（{ $variant } @ { $point }，区组 { $block }）
speaks-tls = 该端口使用 TLS：请写 https://{ $authority }
speaks-no-tls = 该端口不使用 TLS：请写 http://{ $authority }
speaks-http2 = 服务器只支持 HTTP/2，而 Proofload 使用 HTTP/1.1：请让服务器也支持 HTTP/1.1
speaks-other = { $address } 的应答属于 { $protocol } 协议，并非所请求的协议：端口是否正确？
listens-elsewhere = { $address } 上没有程序监听，而 { $listens } 上有：请改用后者
says-nothing = { $address } 接受连接，但在 { $within_ns } 内没有发送任何数据：服务器是否卡住？若确实需要更久，请用 --timeout 放宽
redirects-to = 所有应答都重定向到 { $to }
given-up = 此前的区组中已失败，不再启动：{ $why }
unfit = 发压端不合格
no-open-claim = 没有尚未判定的论断需要它

stopped-by-signal = 被信号终止
keeper-gone = Proofload 自己看守被测服务的进程已不在：被测服务的情况不明，也不归咎于它们
out-of-budget = 最后一次检视之前预算已用完
no-look-in-budget = 预算在首次检视之前就会用完：首次检视需要 { $first } 个区组，已完成 { $blocks } 个，每个都比估计的更久；请用 --budget { $budget }
other-programs = 其他程序占用了 { $cpus } 个 CPU 中的 { $used_cpus } 个{ $programs ->
    [none] {""}
   *[other] ：{ $programs }
}；请停掉它们，或用 --wait-for-quiet
no-verdict-in-reach = 提前结束：{ $blocks } 个区组不能用，再测也不会更好：{ $what }
waits-for-quiet = 等待其他程序让出 CPU，现在它们占用 { $cpus } 个中的 { $used_cpus } 个{ $programs ->
    [none] {""}
   *[other] ：{ $programs }
}
never-quiet = 等待 { $waited_ns } 之后，其他程序仍占用 { $cpus } 个 CPU 中的 { $used_cpus } 个{ $programs ->
    [none] {""}
   *[other] ：{ $programs }
}；请停掉它们，或让 --wait-for-quiet 等得更久
ended-without-a-word = 没有留下结束原因：Proofload 被杀死，或机器停机
every-variant-lost = 其中所有变体都失败
too-few-slices = 应有 { $expected } 个测量时间片，只有 { $found } 个
line-unreadable = 第 { $line } 行无法读取：{ $error }
line-cut-off = 第 { $line } 行不完整
too-many-lines = 超过 { $most } 行

sent-too-few = 计划的请求只发出了 { $sent_share }
carried-too-few = 到期的请求只有 { $carried_share } 及时完成
server-gone = 试验之后服务器已不在运行
no-value = { $measure } 没有值：没有任何交互完成
does-not-hold = 不满足 { $term }
never-ended = { $term }：{ $intended } 个请求中有 { $unended } 个始终没有完成
nothing-due = 试验期间没有到期的请求
check-failed = 检查未通过：{ $check }
connections-busy = { $most ->
    [1] 唯一的连接一直在使用中，而服务器及时应答
   *[other] 全部 { $most } 个连接都在使用中，而服务器都及时应答
}：增加连接或许能承受更多

no-process-found = 进程的 CPU、内存等数据：启动命令已经退出，找不到进程；请让命令留在前台运行
no-backend = 后端字节数：没有看到通往后端端口的连接
backend-late = 后端字节数：查看连接太晚
backend-lost = 后端字节数：两次查看之间结束的后端连接太多（一个时间片的 { $connections } 个中有 { $lost } 个），或者从未看到
no-backend-dump = 后端字节数：{ $error }
no-queue-dump = 接受队列：{ $error }
no-diagnosis = 套接字：无法打开内核的套接字诊断接口：{ $error }
too-many-threads = 上下文切换和按名称统计的线程：线程超过 { $most } 个
no-total = 它的类直方图没有总计
not-asked = 存活集：无法查询 JVM：{ $why }

asked-for = 由用户指定
side-by-side = 各变体同时运行
not-sliced = 负载 { $load } 不能切成时间片
memory-together = { $variants } 个变体共需约 { $needed_bytes } 内存，可用 { $available_bytes }
no-verdict = 任何论断（一个区组得不出判定）
not-restarted = 配置本身（判定只针对这些正在运行的进程，它们没有重启）
older-servers = 运行更久的服务器（每次启动一到稳态就测量，预热至多 { $warm_up_cap_ns }）
no-first-look = 这份预算多半得不出判定：首次检视需要 { $first } 个约 { $block_s } 的区组，而预算只容得下 { $room } 个；请用 --budget { $budget_ns }
fewer-looks = 第 { $kept } 个区组以后的检视（预算只容得下 { $room } 个约 { $block_s } 的区组，全部 { $all } 个需要 { $budget_ns }）
no-search = 这份预算多半测不出容量：{ $trials } 次 { $trial_s } 的试验及其确认需要 { $needed_ns }，而预算为 { $budget_ns }；请增加 --budget，或缩短试验
fewer-trials = 确认之前超过 { $trials } 次的试验（预算容不下 { $most } 次）
below-noise = { $is_band ->
    [true] { $claim }：要求 { $measure } 的等效范围为 { $asked_share }；在这里用 { $blocks } 个区组，五次实验中有四次能证明相同服务器等效的范围是 { $reach_share }
   *[false] { $claim }：要求检出 { $measure } 的差别 { $asked_share }；在这里用 { $blocks } 个区组，五次实验中有四次能检出的差别是 { $reach_share }
}；{ $needed ->
    [none] 需要的区组太多
   *[other] 大约需要 { $needed } 个区组、{ $minutes } 分钟
}
other-lengths = 预设原本的时长（指定了 { $lengths }）
cannot-stay-awake = 这里的内核不允许让 CPU 保持唤醒
not-looked-for = 没有检查是否可行
no-other-division = 这些 CPU 没有别的划分方式
cpus-of-others = 已在运行的服务器不改变所用的 CPU
differs = { $what }：当时为 { $then ->
    [none] 空
   *[other] { $then }
}，现在为 { $now ->
    [none] 空
   *[other] { $now }
}

other-servers = 其他服务器（它们自身的噪声会叠加在机器的噪声之上）
equal-servers-differ = 两个相同的服务器在 { $measure } 上相差 { $difference_share }：机器偏向其中一个，这里的每个判定都会受影响
slices-move = 长时间片中 { $measure } 的比值与短时间片相差 { $difference_share }：这里的实验需要更长的时间片（--timing slice=1s,discard=100ms）
few-blocks = { $blocks } 个区组只能粗略估计离散；用 { $better } 个区组作噪声测量更可靠
blocks-disturbed = { $blocks } 个区组受到机器干扰，已照例剔除
audit-unfit = 发压端在 { $slices } 个时间片中不合格：它自身的噪声也包含在数据里

one-cpu = 发压端与服务器共用唯一的 CPU { $cpu }：它们互相拖慢，任何速度数据都不只属于服务器
one-core = 发压端与服务器在同一个核的两个硬件线程上运行：它们互相拖慢
two-cpus = 只有两个 CPU：服务器只分到一个 CPU，发挥不出最佳水平；请换更大的机器
cpu-quota = cgroup 允许在 { $cpus } 个 CPU 上使用相当于 { $quota } 个 CPU 的时间：用完之后，在该周期余下的时间里所有进程都会停顿
governor = 调频策略为 { $names }：时钟频率随负载变化，也随变体变化
cpus-sleep = { $given_away ->
    [true] 休眠的 CPU 会分给其他虚拟机，唤醒有时需要几毫秒（{ $why }）
   *[other] CPU 在两次应答之间休眠，唤醒需要时间（{ $why }）
}
machine-busy = 最近一分钟平均有 { $processes } 个进程需要 CPU，而 CPU 只有 { $cpus } 个
load-unknown = 无法读取平均负载
little-memory = 内存可用 { $available_bytes }，共 { $bytes }
few-descriptors = 每个进程只能打开 { $soft } 个文件：一个连接在两端各占一个
few-ports = 本地端口只有 { $ports } 个（{ $first } 到 { $last }）：到同一地址的连接最多也只有这么多
short-accept-queue = 监听套接字最多容纳 { $most } 个尚未接受的连接
slow-clock = 时钟源 { $source }：步长 { $step_ns }，每次读取 { $read_ns }

## 判定的原因。
no-data = 没有完整的区组：无从判定
one-block = 只有一个区组：服务器只启动一次，不足以作出判定
too-few-blocks = 目前有 { $have } 个区组，下一次检视在第 { $need } 个之后
too-few-sittings = 目前有 { $have } 个场次；区组分属多个场次时，检视按场次计数，下一次在第 { $need } 个之后；同一场次的区组处于相同的条件下，因此增加区组不能代替增加场次
few-sittings = { $have } 个场次：太少，给不出区间
interval-crosses = 区间容许两种结论；分辨力为 ±{ $resolution_share }；{ $more_blocks ->
    [none] 再多的区组也难以判定
   *[other] 大约还需 { $more_blocks } 个区组才能判定
}
sittings-cross = 区间容许两种结论；分辨力为 ±{ $resolution_share }；{ $more_sittings ->
    [none] 再多的场次也难以判定
   *[other] 大约还需 { $more_sittings } 个场次才能判定
}
widened-by-sittings = 此前 { $sittings } 个场次之间的离散为 τ = { $tau_share }，一个场次对其他场次的代表性仅限于此；增加场次可使区间变窄（proofload replicate）
client-limited = 发压端受限：{ $what }
too-many-errors = { $variant } 的交互有 { $error_share } 失败；超过 0.1% 时不判定任何关于速度的论断
fails-too-often = { $variant } 的错误率为 { $error_share }：超过 0.1% 时任何速度阈值都不算满足
signs-disagree = Hodges–Lehmann 估计指向相反的方向
blocks-lost = { $blocks } 个区组中缺失 { $lost } 个
lost-unevenly = { $blocks } 个区组中，{ $variant } 缺失 { $lost } 个，另一变体缺失 { $other } 个：剩下的可能是它表现较好的那些启动
halves-differ = 前一半区组为 { $first }，后一半为 { $second }：相差 { $errors } 个标准误，而偶然因素只能解释 { $allowed } 个；其间有什么发生了变化
slice-length = 长时间片的比值是短时间片的 { $ratio } 倍（{ $blocks } 个区组）：短时间片受到负载在服务器之间切换的影响；请用更长的时间片（--timing slice=1s,discard=100ms）
futile = 提前关闭：按目前的情况，做满 { $blocks } 个区组后能够判定的概率为 { $chance_share }
spoiled-blocks = { $blocks } 个区组中有 { $unfit } 个的发压端不合格，已对所有变体一律剔除
disturbed = { $blocks } 个区组中有 { $disturbed } 个受到机器干扰（CPU 时间被虚拟机管理器占用，或时钟频率降低），其余的不予判定；请在独占机器时运行
no-steady-state = { $blocks } 个区组中有 { $unsteady } 个未达稳态：预热到时必须结束时，某个变体的速度仍在变化{ $faster_share ->
    [none] {""}
   *[other] （10 秒内变化 { $faster_share }，为这些启动的中位数）
}，或者在测量期间出现台阶；超过四分之一就太多了
beyond-warm-up = { $blocks } 个区组中有 { $unsteady } 个仍在预热，但不影响判定：所比较的量即使再变化 { $change_share }，无论朝哪个方向，判定都相同
not-resolvable = { $measure }({ $variant }) 样本不足：一次启动中超出它的交互只有 { $beyond } 次，需要 { $need } 次；请延长每次启动的测量
measure-missing = { $measure }({ $variant }) @ { $point } 在 { $blocks } 个区组中没有值{ $needs ->
    [processes] ：它需要由 Proofload 启动且有权查看的进程
    [workers] ：它需要至少两个同名且用过 CPU 时间的线程，JVM 自用的线程不算
    [server] ：它需要由 Proofload 启动的服务器
    [backend] ：没有看到服务器自身各进程之间的连接，或者两次查看之间建立和结束的连接太多
    [jvm] ：它来自 JVM 的性能数据，而服务器的进程中没有这样的 JVM
    [collections] ：它需要发生过垃圾回收的 JVM
    [full-collections] ：它需要回收器单独统计完全回收的 JVM，如 Serial、Parallel 和 G1
    [generations] ：它需要使用分代回收器的 JVM
    [locks] ：它需要统计锁争用的 JVM（JDK 17 统计，JDK 25 不统计），或目录中 Java 服务器的 count_locks: true
   *[other] {""}
}
constant = 在所有区组中恒定，直接精确比较
one-measurement = 单次测量，没有区间：只说明所见的情况
limited-on-the-faster-side = 只有较快的一方受发压端限制：实际差别不小于所见的差别
only-lengthened = 发压端发送迟缓或过忙：这只会使时间偏长，因此判定仍然有效
widened = 因发压端迟发或忙碌可能造成的影响，区间放宽了 { $wider_share }
may-account-for = 其他程序或发压端自身的工作，其影响可达 { $moved_share }；余量为 { $margin_share }，增加区组也无济于事：请让机器空闲下来，或给发压端专用的 CPU
lower-end = { $variant } 的 { $measure } 是下限：有 { $unanswered } 个请求从未得到应答，{ $unsent } 个从未发出，它们都排在其后
seen-only = { $starts ->
    [1] 只对一次启动中看到的 { $exchanges } 次交互成立；以 95% 的置信度，它的交互失败的不到 { $upper_share }，换一次启动可能不同
   *[other] 只对 { $starts } 次启动中看到的 { $exchanges } 次交互成立；以 95% 的置信度，此类交互失败的不到 { $upper_share }，出现错误的启动不到 { $upper_starts_share }
}
in-lost-blocks = 其中 { $errors } 个发生在它未能跑完的区组里
own-errors = { $errors } 个错误由发压端自身造成：没有可用的端口、描述符或内存，应答超出 Proofload 的限制，或是它自身的问题
depends-on = 取决于测量条件：{ $levels }{ $alike ->
    [true] ；每种条件下判定相同
   *[other] {""}
}
died = { $variant } 在负载下异常退出：{ $what }
would-take = 要达到 ±{ $resolution_share } 大约需要 { $blocks } 个区组、{ $minutes } 分钟（{ $assumed ->
    [true] 假定区组之间的离散属于通常水平
   *[other] 按目前所见的离散估计
}）
unknown = 原因未知（记录来自更新的版本）

## 结果的局限。
tls-unchecked = { $variant }：未验证 TLS 证书（insecure）：应答的可能是另一个服务器
exchanges-failed = { $variant ->
    [none] {""}
   *[other] { $variant }：
}{ $exchanges } 次交互中有 { $failed } 次失败，多为：{ fact-outcome }{ $example ->
    [none] {""}
   *[other] （{ $example }）
}
nothing-answered = { $variant ->
    [none] {""}
   *[other] { $variant }：
}没有任何应答：{ fact-outcome }{ $times ->
    [0] {""}
   *[other] （{ $times } 次）
}；{ $outcome ->
    [connect_refused] 请启动服务器，或更正地址
    [connect_timeout] 对方毫无回应：地址是否正确？是否被防火墙丢弃？
    [connect_failed] 请检查地址，--debug 可显示原因
    [local_exhausted] 见 proofload doctor
    [timeout] 请放宽时间，或用 --debug 查看一次交互
    [unanswered] 请放宽时间，或用 --debug 查看一次交互
   *[other] 请用 --debug 查看一次交互
}
all-redirected = { $variant ->
    [none] {""}
   *[other] { $variant }：
}全部 { $redirects } 个应答都是重定向（{ $status }）{ $to ->
    [none] {""}
   *[other] ，指向 { $to }
}，一个也没有跟随：这些数值属于重定向本身；--follow 5 可获取目标页面，或直接请求其地址
asks-who = { $variant ->
    [none] {""}
   *[other] { $variant }：
}服务器要求身份验证{ $realm ->
    [none] {""}
   *[other] （域“{ $realm }”）
}：{ $scheme ->
    [basic] 请给出 --basic USER:PASSWORD，或检查已给出的
    [bearer] 请给出 --bearer TOKEN，或检查已给出的
    [digest] 使用 Digest：请给出 --digest USER:PASSWORD，或检查已给出的
   *[other] 使用 { $scheme }，Proofload 不支持
}
ends-connections = { $variant ->
    [none] {""}
   *[other] { $variant }：
}服务器在每个连接上完成 { $exchanges } 次交互后就关闭连接（共 { $connections } 个），却没有声明 Connection: close，{ $failed } 次交互因此失败：--keep-alive { $keep_alive } 可以无错误地测量
variant-lost = { $variant } 在 { $blocks } 个区组中失败{ $given_up ->
    [true] ，已停止测量
   *[other] {""}
}：{ $first }
generator-delays = { $from ->
    [mean] 因 Proofload 自身的延迟，{ $variant } @ { $point } 的时间最多偏长 { $longer_share }
    [p99] { $variant } @ { $point } 的 p50 反映服务器本身；因 Proofload 自身的延迟，p99 及以上最多偏长 { $longer_share }
   *[other] { $variant } @ { $point } 的 p99 反映服务器本身；因 Proofload 自身的延迟，p99.9 及以上最多偏长 { $longer_share }
}（容许 { $allowed_share }）：请给它专用的 CPU
generator-limited = { $variant ->
    [none] 发压端受限，数据不代表服务器
   *[other] { $variant } @ { $point } 发压端受限
}{ $tails ->
    [true] （仅涉及 p99 及以上）
   *[other] {""}
}：{ $what }
generator-held-up = { $slices } 个时间片中有 { $unfit } 个，其他程序占用了 Proofload 的 CPU，占时间的 { $least_share } 到 { $most_share }（容许 { $allowed_share }）：请停止这些程序，或给它专用的 CPU
generator-unfit = { $slices } 个时间片中有 { $unfit } 个发压端受限：{ $first }
agent-missing = 从区组 { $block } 起，{ $slices } 个时间片中有 { $missing } 个：{ $what }
overloaded = 过载：{ $variant }{ $stream ->
    [none] {""}
   *[other] {" "}[{ $stream }]
} @ { $point } 只完成了计划请求的 { $completed_share }；延迟会随测量时长增加。请降低速率。
unsent = 过载：{ $variant ->
    [none] {""}
   *[other] { $variant } 的{" "}
}{ $intended } 个预定请求中有 { $unsent } 个从未发出，连接太少，或者服务器跟不上这一速率；时间均为下限
dropped = { $many ->
    [true] 只施加了部分计划负载：
   *[other] {""}
}{ $variant ->
    [none] {""}
   *[other] { $variant } 的{" "}
}{ $intended } 个预定请求中有 { $dropped } 个（{ $dropped_share }）因没有空闲连接而被丢弃{ $many ->
    [true] ；时间均为下限
   *[other] {""}
}
unanswered = 结束时{ $variant ->
    [none] {""}
   *[other] {" "}{ $variant }{" "}
}仍有 { $unanswered } 个请求没有应答：算作错误，其时间比已知的任何时间都长
surplus-answers = { $variant ->
    [none] {""}
   *[other] { $variant } @ { $point }：
}收到的应答至少比发出的请求多 { $surplus } 个：其余的可能被当作了后面请求的应答
one-start = 只检查一切是否正常：每个服务器只启动一次，得不出判定；要得到判定请去掉 --smoke
running-servers = 各服务器只启动过一次，没有重启：判定只针对这些进程；要评判配置，请给出带 {"{"}port{"}"} 的命令
slices-marked = { $slices } 个时间片中有 { $marked } 个带有标记，它们所在的循环已对所有变体一律剔除：{ $first }
block-damaged = 区组 { $block } 已损坏，不参与判定：{ $what }
blocks-excluded = { $blocks } 个区组已开始但未完成：留在记录里，不参与判定
block-left-out = 区组 { $block } 受到机器干扰，已对所有变体一律剔除：{ $causes }
block-disturbed = 区组 { $block } 受到机器干扰：{ $causes }
not-tested = 未检验：{ $what }
young-servers = 服务器刚启动不久：测量时已运行 { $from_s }到 { $to_s }{ $jvm ->
    [true] ；JVM 可能尚未达到稳态
   *[other] {""}
}；--thorough 测量运行更久的服务器
machine = 机器：{ $what }
threads-not-checked = 未能检查发压端多一个线程是否有帮助{ $places ->
    [none] {""}
   *[other] （{ $places }）
}：增加线程后结果可能改变
quantile-not-resolvable = 标有 ≈ 处的 { $measure } 样本不足：一次启动中超出它的交互只有 { $beyond } 次，需要 { $need } 次；请延长每次启动的测量
longer-starts = 延长每次启动的测量会使 { $places }{ $more ->
    [0] {" "}
   *[other] {" "}以及另外 { $more } 处
}的 { $measure } 区间变窄：启动之内的噪声超过启动之间离散的一半
steadiness-not-measured = { $variant } 的稳态未测得：每次交互的 CPU 时间和吞吐量都无法用来判断
no-scalability = 给不出拐点或峰值：{ $reasons }
factors-explored = 哪些设置有影响是探索所得，并非论断：共 { $main_effects } 个主效应（每个都是对其他设置的平均）和 { $interactions } 个交互作用；{ $shown ->
    [0] 没有列出交互作用，因为没有一个的区间不含 1
   *[other] 列出 { $shown } 个交互作用，它们的区间不含 1
}；若区组数是事先定下而不是看了结果再定的，其中任何一个实际不存在却被列出的概率至多为 { $error_share }（Holm）
factors-not-told = 看不出哪些设置有影响：没有哪个效应在三个区组里有相配的组合
factor-left-out = { $why }
not-explored = 探索性：没有论断声明的比较共 { $comparisons } 个，列出 { $shown } 个；要看其他的，请声明论断
servers-own = 事后所见，并非事先的论断：每个请求的 CPU 时间，{ $over } / { $under } @ { $point }：{ $cost }；一个 CPU 可承载 { $over_per_s } 与 { $under_per_s }；可在研究中声明：`{ $declare }`
saturated = 闭环且没有思考时间：延迟是服务器饱和时的延迟，由吞吐量决定（N/X）
loopback = 发压端与服务器同在这台机器上；在回环接口上，内核把服务器的一部分 TCP 工作记在发送方账上
network-part = 每个响应时间都包含网络的部分：与空服务器完成一次小交互用时 { $p50_ns }，占最快的 { $variant } 的中位数的 { $part_share }
telemetry-cost = 采集服务器进程的数据另外占用了一个核的 { $cores_share }
no-processes = url: 背后的进程不由 Proofload 管理，无法查看：没有它们的 CPU、内存、套接字和垃圾回收数据
telemetry-missing = 未测得：{ $what }
fixed-warm-up = 预热时间是固定的；没有检查是否达到稳态
serial = 串行：各变体先后运行，因此区组内的漂移会留在比较之中；它们的次序在各区组之间是平衡的
shared-process = 共用：各变体共用一个进程，因此每个变体也要承担其他变体留下的影响
spared = 有 { $blocks } 个区组没有测量 { $variant } @ { $point }：那时与它有关的论断都已判定
resumed = 续跑 { $times } 次{ $cut ->
    [none] {""}
    [0] {""}
   *[other] ；因此中断了 { $cut } 个区组：留在记录里，不参与判定，不算缺失
}
resumed-elsewhere = 续跑时情况已有变化：{ $what }
repeats = 重复运行 { $run }{ $differences ->
    [none] {""}
   *[other] ，有不同之处：{ $differences }
}
redirects = { $redirects } 个应答是重定向；{ $followed ->
    [0] 都没有跟随
   *[other] 跟随了其中 { $followed } 个，计入各自的交互
}
redirects-elsewhere = { $redirects } 次重定向通往 { $origin }
connections-opened = 没有空闲连接时打开了新连接：起初 { $began } 个，最后 { $peak } 个（{ $full ->
    [true] 已达上限
   *[other] 上限 { $most } 个
}）
short-soak = 最长的长稳测试只有 { $hours } 小时：增长缓慢或数小时后才出现的变化，不到 2 小时看不出来
forced-collections = 长稳测试中强制进行了 { $collections } 次完全回收，一半耗时在 { $median_ns } 以上，最长 { $longest_ns }：延迟和吞吐量包含它们，延迟的趋势不含这些时段
capacity-no-ceiling = 发压端在这一设置下的上限未知：认定它合格依据的是其他检查
rough-objective = { $measure } 的样本太少：一次试验有 { $requests } 个请求，{ $beyond ->
    [0] 没有一个超出它
   *[other] 超出它的只有 { $beyond } 个
}；请延长试验（--trial），或提高 --from
capacity = { $variant }：{ $why }
baseline-not-paired = 与基线的比较未配对：两次运行的时间不同，其间机器的变化也包含在比值之中
baseline-without-spread = 各场次之间指标相差多少未知（再做四次与基线相同的运行即可得知）：若为 5% 到 7%，同样的运行在 100 次比较中会有 12 到 20 次显示性能回退
baseline-other-build = 基线由 Proofload 的另一个构建测得：{ $what }；由此带来的变化也包含在比值之中
baseline-differs = 基线不可比较，但仍作了比较：{ $what }
baseline-lacks = 基线中没有 { $what }
sittings-differ = 各场次不尽相同：{ $what }；若有影响，已包含在它们的离散之内
sittings-not-planned = 场次数没有在第一个场次之前定下：只有当场次数不是看了结果才选的，区间才有效
sittings-close = 有 { $sittings } 个场次在前一个结束后不到 30 分钟就开始：以小时计的变化几乎不在它们的离散之内
limits-of-each = 每个场次的局限见各自的报告
fact-at-level = { $interval }（{ $condition }）
ceiling-agent-lost = 有代理失联
ceiling-can-be-measured = { $why }；可用 proofload doctor --ceiling -c { $connections } 测量，并给出相同的地址和其他负载参数
ceiling-of-agents = 多个代理合计的上限未知
noticed-in-block = 区组 { $block }：{ $what }
block-disturbed-by = 区组 { $block } 受到干扰：{ $causes }
lost = { $variant } 失败：{ $why }
dropped-variant = { $variant } 已停止测量：{ $why }
variant-left-out = 变体 { $variant }{ $why ->
    [none] {""}
   *[other] ：{ $why }
}
combinations-excluded = { $subject } 的 { $combinations } 种组合中它不支持的 { $excluded } 种
point-left-out = 负载点 { $point }
claim-left-out = 论断 { $claim }：{ $text }{ $lost_side ->
    [true] ，它的某个变体或负载点没有运行
   *[other] {""}
}
expectation-left-out = 预期 { $quantity }：{ $range }
other-length = 负载自身的长度（应为 { $own_s }，改为 { $instead_s }）
not-tested-by-smoke = 只有一个区组：只检查一切是否正常，不检验结论
not-tested-by-study = { $why }
no-such-claim = 实验中没有论断 { $claim }
heats-judge-nothing = 任何论断（这些区组用于搜索，不作判定）
winner-of-search = 最优变体的选出过程（它是搜索中最好的一个，搜索的数据不计入这里的任何指标）
sleep-not-looked-at = 没有检查
no-idle-states = 内核没有可选的空闲状态
each-gives-cpu-away = 它的所有空闲状态都会让出 CPU
no-wake-up-latency = { $state } 的唤醒延迟未知
sleep-refused = { $path }：{ $error }
tolerance-within = 区间包含容差；分辨力为 ±{ $resolution_share }
one-side-short = 一方只有 { $have } 个区组，至少需要 { $need } 个
capacity-confirmed = 在 { $rate_per_s } 下，{ $trials } 次{ $running ->
    [true] 使用新连接的试验
   *[other] 全新启动
}中有 { $agreed } 次{ $passed ->
    [true] 通过
   *[other] 未通过
}
capacity-interval = 区间最初是对所有试验拟合所得的 95% 区间，再放宽到两端都得到确认；它包含真实容量的概率见 docs/capacity.md
look-below = 请在 { $rate_per_s } 以下搜索（用 --from 指定）
look-above = 请在 { $rate_per_s } 以上搜索（用 --to 指定）
trial-limited = { $what }
more-generator = 请给发压端更多工作线程或专用的 CPU，或从另一台机器施压
more-connections = 请给更多连接（-c auto、--max-connections）
search-cut-off = 搜索在得出答案之前就被截断；请用 --budget 给它更多时间
no-lower-end = 下限未能由{ $running ->
    [true] 使用新连接的试验
   *[other] 全新启动
}确认：服务器在各次试验之间的差别大于宽约 15% 的区间；延长试验（--trial）或许有用
no-upper-end = 上限未能由{ $running ->
    [true] 使用新连接的试验
   *[other] 全新启动
}确认：服务器在各次试验之间的差别大于宽约 15% 的区间，或者它的极限就在范围的尽头；请提高 --to，或延长试验（--trial）
capacity-of-process = 没有重启服务器：下一次启动能承受的速率可能不同
too-few-levels = 负载级数太少（需要 { $need } 级，只有 { $have } 级），找不出拐点
too-few-whole-blocks = 每个连接数都有值的区组只有 { $have } 个，需要 { $need } 个
non-finite = 记录中有非有限的数值
knee-beyond = 直到 { $highest } 个连接仍未观察到拐点：连接少得多时，吞吐量都远不及此，可能还在上升
knee-at-lowest = 拐点在 { $lowest } 个连接或更少：这么多连接已达到最大值的 95%；请从更少的连接开始
knee-unclear = 直到 { $highest } 个连接仍未观察到拐点：{ $lowest } 个连接时每次交互的耗时反而比连接更多时长
loaded-at-lowest = { $lowest } 个连接不算低负载：它们已经互相等待，拐点可能偏高；请从更少的连接开始
peak-beyond = 直到 { $highest } 个连接仍未观察到峰值：吞吐量在那里可能仍处于最大值
peak-unclear = 直到 { $highest } 个连接仍未观察到峰值：吞吐量下降了，但峰值的区间上端并不低于这个连接数
level-left-out = 剔除 { $connections } 个连接这一级：{ $why }
failed-share = 有 { $error_share } 的交互失败
too-few-beyond = 样本不足：每次启动中超出它的交互太少
combinations-left-out = 哪些设置有影响：剔除了 { $variants }{ $more ->
    [0] {""}
   *[other] {" "}以及另外 { $more } 个
} 的 { $measure } @ { $point }：{ $why }
setting-unmatched = 哪些设置有影响：无法得出 { $factor }（{ $from } → { $to }）对 { $measure } @ { $point } 的效应：没有两个变体只差这一项且在三个区组里有值
too-few-values = 没有趋势：只有 { $have } 个值，至少 { $need } 个才能看出趋势
value-not-finite = 没有趋势：第 { $at } 个值（从 0 数起）不是有限数
no-time = 没有趋势：所有值都在同一时刻
grows = 每小时增长{ $of_heap ->
    [true] 最大堆
   *[other] 其水平
}的 { $growth_share }，后半段也在增长（每小时 { $second }）{ $leak ->
    [true] ：是泄漏
   *[other] {""}
}
grows-not = 不增长
grows-little = { $hours } 小时最多增长 { $most }，即{ $of_heap ->
    [true] 最大堆
   *[other] 其水平
}的 { $growth_share }；低于 { $allowed_share } 视为无增长
fills = { $goes_on ->
    [true] 仍在填充，尚未填满：前半段每小时 { $first }，后半段仍有 { $second }；是否会停止，需要更长的长稳测试才能判断
   *[other] 是填充，不是泄漏：前半段每小时 { $first }，后半段 { $second }，已不算增长
}
growth-unclear = { $overall ->
    [true] { $second_half ->
        [true] 在增长，但不足以算作增长，也不能算作无增长
       *[other] 总体上在增长，但后半段不能确定
    }
   *[other] { $second_half ->
        [true] 后半段在增长，但总体上不能确定
       *[other] 可能增长，也可能不增长
    }
}；可检出的最小增长为每小时 { $detectable }（{ $of_heap ->
    [true] 最大堆
   *[other] 其水平
}的 { $detectable_share }）；延长测试能检出更小的增长
outside-heap = 警告：堆的存活集没有增长，或增长不到一半，因此增长发生在堆外：直接缓冲区、元空间、线程栈、本地代码
may-be-garbage = 没有强制回收：其中可能有尚未回收的垃圾；只有存活集才能确认泄漏
classes-grew = 增长最多：{ $classes }
class-grew = { $class } +{ $more_bytes }
more-in-flight = { $place }：不可能为真：吞吐量 × 均值至少是 { $in_flight } 个在途请求，而连接只有 { $connections } 个（利特尔法则）
time-unaccounted = { $place }：互不相符：{ $connections } 个连接中有 { $missing } 个的时间无法解释：吞吐量 × 均值最多为 { $used }（利特尔法则）
below-other = { $place }：不可能为真：{ $measure } 低于 { $other }
above-whole = { $place }：不可能为真：{ $measure } 超过 100%
cores-differ = { $place }：互不相符：throughput × cpu_per_request 相当于 { $product } 个核，而 cpu 为 { $cores } 个核
no-verdict-in-time = { $what }
fewer-looks-in-time = { $what }
figure-left-out = { $place }：{ $why }
delayed-ack = 应答在首字节之后约 40 ms 才结束：Nagle 算法在等延迟的 ACK；请在服务器上设置 TCP_NODELAY，或让它把首部和正文一次写出
syns-dropped = { $late } 个应答晚了 1、3 或 7 秒才到，而服务器处理得很快：SYN 被丢弃，监听队列（backlog）太短；请调大（listen(2)、net.core.somaxconn）
silences = { $silences ->
    [1] 有一次长达 { $longest_ns } 没有应答。闭环会掩盖这种情况
   *[other] { $silences } 次约 { $typical_ns } 没有应答，{ $period_ns ->
        [none] 最长 { $longest_ns }
       *[other] 每隔 { $period_ns } 一次
    }。闭环会掩盖这种情况
}{ $rate ->
    [none] {""}
   *[other] ：请试 -r { $rate }
}
