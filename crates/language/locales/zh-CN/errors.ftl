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
store-too-large = 这份记录的区组到 { $path } 为止已超过 { $most } MiB，任何实验都不会这么大；请从备份恢复记录，或将其删除
store-newer = { $path } 的格式是 { $found }，这个 Proofload 只能读取格式 1 到 { $known }；请用写入它的 Proofload 或更新的版本读取
store-in-use = 另一个进程正在执行 { $path }；请等它结束
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
subject-packages-failed = 被测服务 { $subject }：apt-get 无法获取 { $packages }：{ $how }；请检查网络和 apt 源；缓存中已有的不需要它们{ $lines }
subject-no-maven = 被测服务 { $subject } 需要 Maven Central 上的文件，而 PATH 中没有 `mvn`；请安装 Maven（Debian：apt install maven）；文件获取之后就不再需要它
subject-fetch-failed = 被测服务 { $subject }：Maven 无法获取 { $coordinates }：{ $how }；请检查网络和 Maven 的设置（代理、镜像）；缓存中已有的不需要它们{ $lines }
subject-mismatch = { $file } 不是 { $lock } 所固定的文件：SHA-256 为 { $found }，应为 { $pinned }；{ $remedy }
subject-archive = { $archive }：拒绝其中的 `{ $member }`：{ $why }；请不要使用这个归档
subject-build = 被测服务 { $subject } 无法构建：{ $how }{ $lines }
subject-cache-held = 另一个 Proofload 已用 { $seconds } 秒生成 { $path }；请等它完成，或停止它
subject-no-keeper = 无法启动被测服务的守护进程：{ $why }
subject-keeper-gone = 被测服务的守护进程意外结束；`proofload doctor --clean` 可清除它留下的进程
subject-not-started = 被测服务 { $subject }：无法启动 `{ $program }`：{ $why }；请检查命令、目录和 CPU
subject-died-at-start = 被测服务 { $subject } 在就绪之前就结束了：{ $exit }；日志 { $log }：{ $lines }
subject-died = 被测服务 { $subject } 异常结束：{ $exit }；日志 { $log }：{ $lines }
subject-hangs = 被测服务 { $subject } 没有响应：{ $seconds } 秒内{ $missing }；日志 { $log }：{ $lines }
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
    [apt] apt-get 没有取得它
    [cache] 无法用作缓存，请设置 PROOFLOAD_CACHE
    [list] 无法列出其中的文件
    [lock] 无法锁定
    [make] 无法创建
    [make-in] 无法在其中创建目录
    [maven] Maven 没有取得它
    [move] 无法移动
    [name] 无法确定工作目录
    [no-cache] 没有可用作缓存的位置
    [open] 无法打开
    [path] 不是路径
    [remove] 无法删除
    [write] 无法写入
   *[read] 无法读取
}：{ $source }
