# 错误：什么没有做成，在哪里，该怎么办。
## 磁盘上的记录。
store-full = 无法{ $what ->
    [append] 追加写入
    [create] 创建
    [link] 链接
    [lock] 锁定
    [open] 打开
    [read] 读取
    [rename] 重命名
    [sync] 同步
   *[write] 写入
} { $path }：磁盘已满；请释放一些空间，或用 --dir 换一个位置
store-io = 无法{ $what ->
    [append] 追加写入
    [create] 创建
    [link] 链接
    [lock] 锁定
    [open] 打开
    [read] 读取
    [rename] 重命名
    [sync] 同步
   *[write] 写入
} { $path }：{ $source }；{ $kind ->
    [denied] 请检查目录的所有者和权限
    [read-only] 文件系统是只读的，请用 --dir 换一个位置
    [missing] 请检查该路径是否存在
    [taken] 该名称已被占用，请移走原有的文件
   *[other] 请检查磁盘和路径
}
store-not-a-run = { $path } 不是运行记录：其中没有 plan.json；请指定形如 runs/<study>/<id> 或 runs/<study>/latest 的目录
store-damaged = { $path } 已损坏：{ $why }；请从备份恢复，或重新测量
store-too-large = 读到 { $path } 为止，这份记录已占用超过 { $most } MiB 内存，任何实验都不会这么大；请从备份恢复记录，或将其删除
store-newer = { $path } 的格式版本是 { $found }，当前的 Proofload 只能读取格式 1 到 { $known }；请用写入它的 Proofload 或更新的版本读取
store-in-use = { $path } 正由另一个进程执行；请等它结束
store-name = “{ $name }”不是普通的文件名；请只用字母、数字、点和连字符
store-encode = 无法编码 { $what }：{ $source }；这是 Proofload 的缺陷，请报告
store-unfinished = { $path } 无法完成：此前有一个时间片没能写入；该区组不计入，请重新测量

## 服务器。
subject-unknown = 目录 { $catalogue } 中没有被测服务 `{ $folder }`；现有：{ $known }
subject-no-catalogue = { $path }（{ $from }）中没有包含 subject.yaml 的文件夹；请指定存放被测服务的文件夹
subject-parameter = 被测服务 { $subject }：{ $why }
subject-not-applicable = 被测服务 { $subject }：不适用于 JDK { $jdk }：{ $why }
subject-no-jdk = 被测服务 { $subject } 需要 JDK { $wanted }，{ $found ->
    [none] 没有找到任何 JDK
   *[other] 只找到 { $found }
}；请安装（Debian：apt install openjdk-{ $wanted }-jdk-headless），让 JAVA_HOME 指向它，或设置参数 `jdk`
subject-unpinned = 被测服务 { $subject }：{ $lock } 中没有固定 { $what } 的版本；请用 `proofload subjects add { $coordinate } --to { $subject }` 添加
subject-offline = 被测服务 { $subject }：指定了 --offline，而缓存中缺少 { $missing }；请在有网络的地方不带 --offline 运行一次
subject-no-apt = 被测服务 { $subject } 需要 Debian 软件包，而 PATH 中没有 `apt-get` 或 `dpkg-deb`；请使用 Debian 或 Ubuntu，或改用不需要软件包的参数
subject-package-gone = 被测服务 { $subject }：Debian 镜像中已没有 { $packages }（镜像只保留最新版本）；请用 `proofload subjects add debian:PACKAGE --to { $subject }` 固定当前版本，或让 apt 源指向 snapshot.debian.org{ $lines }
subject-packages-failed = 被测服务 { $subject }：apt-get 无法获取 { $packages }：{ $how }；请检查网络和 apt 源；缓存中已有的无需再获取{ $lines }
subject-no-maven = 被测服务 { $subject } 需要 Maven Central 上的文件，而 PATH 中没有 `mvn`；请安装 Maven（Debian：apt install maven）；文件获取之后就不再需要它
subject-fetch-failed = 被测服务 { $subject }：Maven 无法获取 { $coordinates }：{ $how }；请检查网络和 Maven 的设置（代理服务器、镜像）；缓存中已有的无需再获取{ $lines }
subject-mismatch = { $file } 不是 { $lock } 所固定的文件：SHA-256 为 { $found }，应为 { $pinned }；{ $remedy }
subject-archive = { $archive }：拒绝其中的 `{ $member }`：{ $why }；请不要使用这个归档
subject-build = 被测服务 { $subject } 无法构建：{ $how }{ $lines }
subject-cache-held = 另一个 Proofload 正在生成 { $path }，已用 { $seconds } 秒；请等它完成，或停止它
subject-no-keeper = 无法启动被测服务的守护进程：{ $why }
subject-keeper-gone = 被测服务的守护进程意外结束；`proofload doctor --clean` 可清除它留下的进程
subject-not-started = 被测服务 { $subject }：无法启动 `{ $program }`：{ $why }；请检查命令、目录和 CPU
subject-died-at-start = 被测服务 { $subject } 在就绪之前就结束了：{ $exit }；日志 { $log }：{ $lines }
subject-died = 被测服务 { $subject } 异常结束：{ $exit }；日志 { $log }：{ $lines }
subject-hangs = 被测服务 { $subject } 没有响应：已等待 { $seconds } 秒：{ $missing }；日志 { $log }：{ $lines }
subject-too-much-memory = 被测服务 { $subject } 使用了 { $used } MiB 内存，超过限额 { $limit } MiB，已被终止；请减小负载或堆，或提高限额：subject.yaml 中的 memory_max，或实验中命令的 memory
subject-killed-by-kernel = 被测服务 { $subject } 因机器或其 cgroup 内存耗尽而被内核终止；请释放内存，或减小它的堆；日志 { $log }：{ $lines }
subject-jvm-out-of-memory = 被测服务 { $subject } 自身内存不足（java.lang.OutOfMemoryError）；请增大堆，或减小负载；日志 { $log }：{ $lines }
subject-never-ready = 被测服务 { $subject } 在 { $seconds } 秒后仍未就绪：{ $missing }；请放宽时间，或查看日志 { $log }：{ $lines }
subject-port-taken = 被测服务 { $subject }：端口 { $port } 已被 { $by } 占用，它不是这次运行启动的；请停止它，或换一个端口
subject-no-port = { $address } 上 { $first } 到 { $last } 之间没有空闲端口：要么都被其他程序占用，要么该地址不是本机的地址
subject-no-answer = { $authority }（{ $address }）没有应答：{ $why }；请先启动它，或用 `command:` 让 Proofload 启动它
subject-unclean-stop = 被测服务 { $subject }：{ $what }；`proofload doctor --clean` 可结束残留的进程
subject-contract = 被测服务 { $subject } 在 answers 中声明了 { $word }；{ $why }；请更正服务器或声明
subject-interrupted = 已中断
subject-log-empty = （日志为空）
subject-files = { $path }：{ $what ->
    [apt] apt-get 没有取到
    [cache] 无法用作缓存，请设置 PROOFLOAD_CACHE
    [list] 无法列出其中的文件
    [lock] 无法锁定
    [make] 无法创建
    [make-in] 无法在其中创建目录
    [maven] Maven 没有取到
    [move] 无法移动
    [name] 无法确定工作目录
    [no-cache] 没有可用作缓存的位置
    [open] 无法打开
    [path] 不是路径
    [remove] 无法删除
    [write] 无法写入
   *[read] 无法读取
}：{ $source }

## 代理。
agents-nobody-there = { $at } 在 { $seconds } 秒内没有应答（{ $last }）：请在那里启动 `proofload coordinator`，或更正 --join
agents-token = { $at } 不接受本方的令牌（{ $what }）：请给双方相同的 --token-file
agents-agent-refused = 协调者拒绝了这个代理：{ $why }
agents-coordinator-lost = 协调者已失联（{ $why }）：这里正在进行的工作已结束
agents-missing = { $seconds } 秒内 { $wanted } 个代理只加入了 { $came } 个{ $here ->
    [none] {""}
   *[other] （{ $here }）
}；缺少：{ $missing }；原因见它们自己的输出，或用 --wait 放宽时间
agents-stopped = 等待代理时被终止
agents-missing-numbers = 编号 { $numbers }
agents-missing-some = { $absent } 个（编号不限）
agents-and-more = { $shown } 以及另外 { $more } 个
agents-listener-ended = 监听已结束
agents-connection-ended = 连接已结束
agents-speaks-otherwise = 双方的协议不一致：{ $error }
cannot-make-runtime = 无法创建运行时
agents-token-file = --token-file { $path }：第一行须为 { $least } 到 { $most } 个难以猜测的字符；可用 `openssl rand -hex 32 > token` 生成
agents-all-there = 所有代理均已加入
agents-taken-for-lost = 它已被视为失联：{ $why }

## 部署位置。
pack-too-large = 随实验传送的文件超过 { $what }：请去掉它不需要的文件
pack-read = 无法读取 { $path }：{ $source }
pack-files = { $files } 个文件
kubernetes-name = 名称 `{ $name }`：应为 1 到 { $most } 个小写字母、数字和连字符，以字母开头，不以连字符结尾
kubernetes-namespace = 命名空间 `{ $name }`：应为 1 到 { $most } 个小写字母、数字和连字符，首尾不能是连字符
kubernetes-image = 镜像 `{ $image }`：应为形如 registry.example/proofload:1.0 的名称，不含空格
kubernetes-cpu = { $of ->
    [agent] 代理的 CPU
   *[coordinator] 协调者的 CPU
}：`{ $text }`；应为整数，如 1，因为非整数的 CPU 会被周期性限流
kubernetes-memory = { $of ->
    [agent] 代理的内存
   *[coordinator] 协调者的内存
}：`{ $text }`；应为带 Ki、Mi、Gi、Ti、k、M、G 或 T 的数字，如 512Mi
kubernetes-path = 文件 `{ $path }`：应为实验文件夹之下的路径，不含 `..` 和隐藏名称；请把它移到那里
kubernetes-too-large = 实验的文件共 { $bytes } 字节，而一个 Secret 只能容纳 { $most } 字节：请去掉实验不需要的文件，或构建包含它们的镜像
kubernetes-odd = { $text } 含有换行、制表符或其他控制字符：请去掉

## 导出。
export-histogram = 区组 { $block }，{ $label }：响应时间直方图：{ $source }
export-contradiction = 区组 { $block }，{ $label }：{ $answered } 次交互已应答，响应时间却有 { $timed } 个：记录已损坏
export-nothing = hgrm：没有测量数据
export-too-many-lines = jtl：共 { $exchanges } 次交互，而它每次交互占一行，最多 { $most } 行：请改用 hlog、parquet 或 csv，它们不限交互次数，或缩短测量时间

## 这台机器。
host-cannot-move = 无法把进程 { $process } 的线程 { $thread } 移到其他 CPU：{ $why }
host-restless = 进程 { $process } 创建线程的速度太快，来不及移到其他 CPU
host-no-such-cpu = CPU { $cpu } 超出了系统能表示的范围
host-no-file = 它不是文件，而是文件夹、设备、套接字或空管道
host-file-too-large = 它大于 { $most }
host-silent-pipe = 这个管道没有任何内容
host-lock-held = { $holder }正在这台机器上测量；同时测量会互相干扰：请等它完成，或停止它
host-lock-stopped = 等待{ $holder }完成测量时被终止
host-lock-not-a-file = { $path }：测量锁的位置上是{ $what ->
    [link] 符号链接
    [directory] 目录
    [socket] 套接字
    [names] 有多个名称的文件
   *[other] 设备、管道或目录
}：请将其删除
host-lock-io = { $path }：无法{ $action ->
    [lock] 锁定
   *[open] 打开
}测量锁：{ $source }
host-lock-holder = { $pid ->
    [none] 另一个进程
   *[other] 进程号为 { $pid } 的进程
}{ $who ->
    [none] { $since ->
        [none] {""}
       *[other] （始于 { $since }）
    }
   *[other] { $since ->
        [none] （{ $who }）
       *[other] （{ $who }，始于 { $since }）
    }
}
host-lock-waiting = 等待{ $holder }在这台机器上完成测量

## 发压端及计划对它的要求。
engine-descriptors = 需要 { $needed } 个文件描述符，而上限为 { $limit }：请减少连接，或提高硬上限 `ulimit -Hn`
engine-driver = 无法使用 { $driver } 驱动：{ $why }；请使用 epoll 驱动
engine-too-late = 负载本应在工作线程就绪之前 { $seconds } 秒开始：请指定更晚的时刻
feed-used-up = 数据源的全部 { $rows } 行均已取用，而其顺序不重复使用：请提供更多行，或换一种顺序
engine-no-driver = 无法创建工作线程的驱动
setup-failed = setup 或 teardown 的步骤 { $step }：{ $why }
engine-cannot-start = 无法启动
engine-cannot-wait = 无法等待网络事件
engine-cannot-pin = 无法把工作线程绑定到它的 CPU
plan-claim = plan.json：论断“{ $claim }”：{ $why }
plan-request = 工作负载 { $entry }：{ $source }
run-changed = { $path } 的记录与这里要运行的内容不同
run-places = 实验指定了部署位置；只有 proofload run 和 coordinator 会用到：请用它们运行，或去掉这些位置
run-large-bodies = 每次负载都要把 { $bytes } 的文件作为请求体发给每个代理，最多允许 { $most }：请不用代理，或发送较小的文件
run-few-connections = 负载 { $few }：连接数少于代理数 { $agents }，而每个代理至少需要一个连接；请增加连接，或减少代理

## 页面和指标。
ui-cannot-listen = 无法监听 127.0.0.1:{ $port }：{ $source }；请用 --port 换一个端口，或省略它以选用空闲端口
ui-no-random = 系统无法为地址中的令牌提供随机数：{ $source }
ui-cannot-wait = 无法等待请求：{ $source }

## 从 JVM 读取的数据。
attach-no-handler = 它不接受请求：没有处理 SIGQUIT
attach-silent = 它不接受请求：5 秒内没有监听 { $path }
attach-slow = 它没有在 60 秒内答完
attach-stopped = 没有再等它
attach-foreign = { $path } 不是该 JVM 的套接字
attach-refused = 它应答：{ $answer }
attach-its-answer = 它的应答
attach-a-file = /tmp 中的文件
attach-the-process = 该进程
attach-signalling = 向它发送信号
attach-its-socket = 它的套接字
attach-connecting = 与它建立连接
attach-asking = 向它查询

## 参考服务器。
reference-bad-value = { $what } { $value } 不能使用：{ $wrong }；应为：{ $expected }
reference-listen = 无法监听 { $address }：{ $source }；请用 --port 换一个端口，或停止占用它的进程
reference-descriptors = 需要 { $needed } 个描述符，而只允许 { $allowed } 个：请减小 --connections-max，或提高 `ulimit -Hn`
reference-file = 无法写入 { $path }：{ $source }；请检查路径和剩余空间
reference-tls = { $path } 不能用于 TLS：{ $wrong }
reference-kernel = 内核拒绝了 { $what }：{ $source }
reference-not-arrivals = { $path } 不是到达日志：{ $wrong }
wrong-no-unit = 缺少单位
wrong-unit-of-time = 单位不是 ns、us、ms、s、m 之一
wrong-duration = 不是时长
wrong-too-long = 太长
wrong-unit-of-size = 单位不是 B、KiB、MiB、GiB、kB、MB、GB 之一
wrong-size = 不是大小
wrong-too-large = 太大
wrong-probability = 不是概率
wrong-over-one = 大于 1
wrong-tls-version = 不支持
wrong-sum = 概率之和超过 1
wrong-no-period = 缺少周期
wrong-zero = 长度和周期必须大于零
wrong-stall = 停顿不短于其周期
wrong-drip-every = drip_every 不在 1us 到 1s 之间
wrong-over-a-minute = 超过一分钟
wrong-no-distribution = 没有指明分布
wrong-two-delays = 延迟出现了两次
wrong-range = 范围缺少 ..
wrong-backwards = 范围的起点大于终点
wrong-spins-twice = spin 出现了两次
wrong-distribution = 未知的分布
wrong-over-a-gib = 超过 1GiB
reference-workers = 工作线程数须为 1 到 64
reference-no-connection = 至少要允许一个连接
reference-close-after = 连接不能在 0 个应答后关闭；1 表示关闭 keep-alive
reference-servers = 服务台数须为 1 到 1024
reference-queue = 队列只有一种到达次序：使用 --servers 时请只用一个工作线程
reference-null-time = 空服务器不耗时：请去掉 --service 和 --servers
reference-null-faults = 空服务器既不停顿也不出错：请去掉 --stall 和 --faults
reference-null-tls = 空服务器不出错：请去掉 --tls-faults
reference-null-close = 空服务器在一个应答后关闭或从不关闭：请用 --close-after 1，或去掉它
reference-null-size = 空服务器的应答只有一种大小，不超过 64KiB
expected-duration = 带单位的数字，如 200us、1.5ms 或 2s
expected-size = 字节数，如 1024、4KiB 或 10kB
expected-probability = 0 到 1 之间的数字，如 0.01，或百分比，如 1%
value-tls-faults = TLS 故障列表
expected-tls-faults = garbage=0.01,stall=1%，名称取自 garbage、refuse、hang_up、stall、no_close_notify
value-stall = 停顿计划
expected-stall = 长度/周期，如 200ms/2s
value-faults = 故障列表
expected-faults = reset_before=0.01,status_500=1%，名称取自 reset_before、reset_within、reset_after、wrong_length、short_body、surplus、status_500、drip、silence、drip_every
value-service = 服务时间
value-body = 消息体大小
value-tls-version = TLS 版本
wrong-arrivals-head = 开头不是 PLARRIV1
wrong-arrivals-cut = 最后一条记录不完整
wrong-no-certificate = 其中没有证书；请写入 PEM 格式的证书
wrong-no-key = 其中没有未加密的密钥；请写入 PEM 格式的密钥
wrong-one-missing = 其他文件都在，唯独缺少它；请删除 ca.pem、cert.pem、key.pem、client.pem 和 client-key.pem，它们会全部重新生成
wrong-no-equals = { $pair } 缺少 =
wrong-twice = { $name } 给出了两次
wrong-fault = 没有名为 { $name } 的故障

## 运行期间的指标。
metrics-bad-address = { $text } 既不是端口也不是地址；请写成 9464 或 127.0.0.1:9464
metrics-bad-endpoint = { $text } 不是收集器的地址；请写成 http://127.0.0.1:4318，或 env
metrics-with-user = 含用户名的地址会被记录下来；请去掉用户名，把凭据放入 OTEL_EXPORTER_OTLP_HEADERS
metrics-with-query = 带查询参数的地址后面无法再加路径；请写成 env，并把含 /v1/metrics 的完整地址放入 OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
metrics-no-endpoint = 没有设置 OTEL_EXPORTER_OTLP_ENDPOINT；请设置它，或直接写地址，如 http://127.0.0.1:4318
metrics-bad-variable = 无法读取 { $name }：应为{ $wanted }
metrics-no-authorities = 无法读取本系统信任的证书颁发机构：{ $why }
metrics-status = 它应答 { $status }{ $body ->
    [none] {""}
   *[other] ：{ $body }
}
metrics-unreadable = 它应答 { $status }，其余部分无法读取：{ $why }
metrics-no-answer = 它应答 { $status }，{ $kind ->
    [none] 但内容不是收集器的应答
   *[other] 但内容类型为 { $kind }，不是收集器的应答
}
metrics-rejected = 它拒绝了其中 { $points } 个数据点：{ $why }
metrics-pushes-failed = 向 { $endpoint } 推送 { $all } 次，失败 { $failed } 次，最近一次失败：{ $latest }；{ $at_end ->
    [true] 收集器缺少末尾的数据，记录是完整的
   *[false] 下一次推送已补上
}
metrics-push-abandoned = 最后一次推送到 { $endpoint } 没有及时完成；收集器可能缺少末尾的数据，记录是完整的
metrics-serving = 供 Prometheus 读取的指标：http://{ $address }/metrics
metrics-milliseconds = 毫秒数
metrics-pairs = 形如 key=value,key=value 的键值对
started-stopped = 已被停止
started-too-long = 耗时超过 { $seconds } 秒
