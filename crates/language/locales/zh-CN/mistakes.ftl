# 实验文件、论断或命令行参数中的错误，以及应当怎样写：每个代码一条消息，变量即其字段。消息之前是文件、行号和键。
in = { $place }：{ $what }

## 值
not-expected = { $found } 不是{ expected }；请写成 { $form }
not-one-of = 这里不认识 { $found }；{ $similar ->
    [none] 可以写：{ $choices }
   *[other] 是否想写 { $similar }？
}
not-whole = { $found } 不符合要求；请写 { $low } 到 { $high } 之间的整数
out-of-range = { $found } 不符合要求；请写 { $low } 到 { $high } 之间的值
quoted-number = "{ $found }" 是文本；请去掉引号
not-text = { $found } 不加引号时{ $reads_as ->
    [boolean] 在 YAML 中是布尔值
    [old-boolean] 会被某些 YAML 解析器读作布尔值
   *[number] 在 YAML 中是数字
}，不是文本；请写成 "{ $found }"
empty = 为空；请写 { $form }
missing = 缺少此项；请写 { $form }
none-of = { $known } 一个都没有；请写 { $form }
exclude-each-other = { $first } 和 { $second } 不能同时使用；请只保留一个
no-meaning-beside = 与 { $beside } 同时使用时没有意义；请删除
no-meaning-without = 没有 { $needs } 就没有意义；请补上，或删除本项
unknown-key = 不是这里的键；{ $similar ->
    [none] 可用的键：{ $known }
   *[other] 是否想写 { $similar }？
}
unknown-name = 没有名为 { $found } 的{ thing }；{ $similar ->
    [none] 已有：{ $known }
   *[other] 是否想写 { $similar }？
}
twice = { thing } { $name } 重复出现；请删除其中一个
too-many = { things }有 { $found } 个，太多；最多 { $most } 个
too-many-claims = 所有负载点上共有 { $found } 条论断或预期，太多；最多 { $most } 条；加上 @ 可以限定在一个负载点
bad-name = { thing }不能命名为 { $found }；请使用 { $letters }，最长 64 个字符，以字母或数字开头
reserved-name = { $name } 另有含义；请换一个名称
control-character = 含有换行或其他控制字符；请写成一行文本
too-long = { $length } 字节太长；最多 { $most }
takes-no-time = 时长为零；请写大于 0s 的时长
two-in-one-item = 列表的一项中有两个条目；请让每个条目各自以 - 开头
no-variable = 没有可用的环境变量 { $name }；请先导出该变量
cannot-read = 无法读取 { $file }：{ $error }；请检查文件名和权限
not-a-file = { $file } 不是文件；请指定一个文件
file-too-large = { $file } 大于 { $most }；请使用较小的文件
placeholders-in-long-file = { $file } 含有占位符，须保留在内存中，但大于 { $most }；去掉其中所有的 ${"{"}，即可边读边发，大小不限
not-utf8 = 不是 UTF-8 文本；请将文件保存为 UTF-8
outside-folder = { $file } 在实验文件所在的文件夹之外；请放到该文件夹或其子文件夹中
no-folder = { $found } 不是现有的文件夹；请写相对于实验文件的文件夹

## NotExpected 中值应有的类型
expected = { $expected ->
    [address] 地址
    [arguments] 参数列表（不经过 shell）
    [base64] {" "}base64 文本
    [bytes] 整数个字节
    [condition] 条件
    [coordinate] {" "}Maven 坐标
    [cores-number] 核数
    [cpu-list] {" "}现有 CPU 的列表（如 0-1,4）
    [css-selector] {" "}CSS 选择器
    [csv] {" "}CSV
    [distribution] 分布
    [duration] 时长
    [even-number] 偶数
    [factor] 大于零的系数
    [feeder] 数据源
    [header-name] 请求头名称
    [header] 请求头
    [host-and-port] 主机和端口（1 到 65535）
    [java-value] {" "}Java 的值
    [json-object] {" "}JSON 对象
    [json-path] {" "}JSONPath
    [json-schema] {" "}JSON Schema
    [keep-alive] {" "}true、false 或数字
    [key] 键
    [ladder] 阶梯
    [list] 列表
    [machine] 机器名
    [map] 映射
    [measure-at-point] 某个负载点上的度量
    [memory] 内存大小
    [method] 方法
    [number] 数字
    [numeric-address] 数字形式的地址
    [objective] 目标的条件
    [pair] 名称=值
    [part] 表单的字段
    [path] 路径
    [percentage] 大于 0% 且不超过 100% 的百分比
    [pin] 坐标、文件名和 SHA-256
    [pinned] 域名与地址的对应
    [plain-number] 不带单位的数字
    [proxy] 代理服务器的地址
    [quantity] 量
    [range] 区间
    [rate] 速率
    [regex] 正则表达式
    [seconds] 以秒为单位的时间
    [server] 服务器名称
    [share] 比例
    [sine] 正弦波
    [size] 大小
    [span] 起止范围
    [speed] 回放速度
    [spike] 尖峰
    [stage] 阶段
    [status] 200 到 599 的状态码
    [text] 文本
    [true-or-false] 布尔值
    [unit] 单位
    [user] 用户名和密码
    [web-address] 网址
    [weight] 带权重（从 1 起）的地址
    [whole] 整数
    [xpath] {" "}XPath
   *[words] 引号全部闭合的词列表
}
thing = { $what ->
    [address] 地址
    [argument] 参数
    [captured] 提取的值
    [claim] 论断
    [column] 列
    [combination] 组合
    [conclusion] 结论
    [condition] 条件
    [entry] 请求条目
    [factor] 设置
    [feeder] 数据源
    [figure] 数据
    [file] 文件
    [folder] 目录中的被测服务
    [header] 请求头
    [journey] 旅程
    [level] 取值
    [measure] 度量
    [parameter] 参数
    [part] 字段
    [point] 负载点
    [point-or-variant] 变体或负载点
    [process] 进程
    [quantity] 度量行
    [redirect] 重定向
    [reference] 参考来源
    [row] 行
    [setting] 由 --set 设置的键
    [stage] 阶段
    [stream] 负载流
    [study] 实验
    [subject] 被测服务
    [value] 值
    [variable] 环境变量
   *[variant] 变体
}
things = { thing }

## 语法、包含与设置
not-yaml = 不是 YAML：{ $error }；{ $look_at ->
    [quote] 请闭合引号
    [bracket] 请闭合所有方括号和花括号，并用逗号分隔各值
    [depth] 请减少嵌套层数
    [directive] 请删除以 % 开头的行
    [colon] 请把第一个冒号后的文本放进引号
   *[indentation] 请检查该行附近的缩进、冒号和引号
}
empty-file = 文件为空；请写一个实验，以 `study: 名称` 开头
nothing-set = 没有设置任何值；请写 key=value：--set load.closed.connections=64
control-code = 含有控制字符（{ $character }）；请删除，或在引号中写成 \x..
tab-indents = 缩进中有制表符；请用空格缩进
second-document = 这里开始了第二个文档；一个文件只写一个实验
yaml-tag = 这里不认识标签 { $tag }；请删除，引号中的内容就是文本
alias-of-itself = 别名指向包含它自身的内容；请把值写全
unknown-alias = 别名 *{ $name } 没有对应的内容；以 * 开头的文本请加引号
merge-key = 这里不支持合并键（<<）；请把各键写全
key-not-text = 键 { $key } 不加引号时，并非所有 YAML 解析器都读作文本；请写成 "{ $key }":
key-not-word = 列表或映射不能作为键；请写一个词
key-twice = 键 { $key } 重复出现；请删除它，或删除第 { $line } 行的那个
study-too-large = 超出了实验的大小上限；最多 1 MiB 和 { $values } 个值，别名按展开后计算
includes-itself = { $file } 包含了自身；请去掉其中一个 include
includes-too-deep = 文件相互包含超过 { $most } 层；请并列包含
include-not-set = 实验包含的文件不能通过设置更改；请逐个设置相关的键
nothing-within = { $path } 中没有 { $key }；请整体设置

## 论断、预期与目标
unnamed-claim = 论断没有名称；请在前面写上名称：name: { $text }
not-a-sentence = 不能用作名称；请写一句简短的话，最多 { $most } 个字符
claim-of-shared = 论断 { $claim } 涉及 { $measure }，而其各变体共用一个进程；请改为吞吐量、延迟或错误的论断，或去掉 shared: true
no-comparison = { $found ->
    [none] 末尾
   *[other] `{ $found }` 处
}应有比较符；请写 > >= < <= == ~ 之一
left-over = 多出了 `{ $rest }`；论断的写法是 `measure(variant) > measure(variant) @ point`，只含一个比较
no-term = 这里应有度量或数字；请写 `throughput(variant)` 或 `50ms`
threshold-constant = 阈值的一侧应为常数；请写 p99 < 50ms
no-point = `@` 之后应有负载点；请写其标签
point-twice = 负载点写了两次；请在末尾写一次，或在两侧各写一次
no-points = 没有这条论断可以针对的负载点；请写 load
never-closed = `{ $after }` 之后的括号没有闭合；请补上 `{ $close }`
ratio-form = `ratio` 需要一个度量和两个变体；请写 `ratio(throughput, this, that)`，负载流写在度量之后
ratio-of-same = ratio 的两个变体相同；请写两个不同的变体
ratio-above-zero = 比值总是大于零；请与大于零的数比较，例如 1.05
no-within = `~` 需要说明多接近才算接近；请在右侧之后加上 `within 5%`
within-of = `within` 只与 `~` 搭配；请把 `{ $comparison }` 改为 `~`
which-variant = `{ $measure }` 指哪个变体？请写 `{ $measure }(…)`，括号中是 { $known } 之一
not-filled = 此处不替换占位符：用来比较的值按原样使用；请写出该值
users-connections = 用户的连接归各自所有，每个连接一次只承载一个请求；请去掉 in_flight、max_connections 和 auto，用 connections: N 设定同时的最多用户数
which-journey = `{ $measure }` 指哪个旅程？请写 `{ $measure }[…]`，括号中是 { $known } 之一
ambiguous = `{ $found }` 符合多个变体；请写 { $known } 之一
not-of-streams = { $measure } 属于服务所有负载流的进程；请去掉 `[{ $stream }]`
not-of-requests = { $measure } 只有整个负载的值；请去掉 { $request }
no-streams = 这个实验没有负载流；请去掉 `[{ $stream }]`
two-constants = 两侧都是常数；论断至少要比较一个度量
same-sides = 两侧是同一变体的同一度量；请比较两个不同的量
different-units = { $left } 不能与 { $right } 比较：单位不同；请比较单位相同的量
wrong-unit = `{ $found }` 不符合要求：{ $measure } 要与{ expected }比较；请写成 { $form } 这样
expectation-of-measure = 预期针对一个度量，不带系数；请写 throughput(variant)
ends-before-it-begins = { $found } 的终点小于起点；请先写较小的一端
every-value-fits = 任何值都符合这个区间；请写有意义的端点
not-a-figure = 已发表的数据是一个变体的一个度量的值，大于零；请写 p99(ajp) @ 100c: 101ms
figure-of-which-point = 有多个负载点，而没有指明是哪一个；请写明数据所属的负载点：p99(ajp) @ 100c
no-upper-limit = `{ $text }` 没有设定上限；请用 < 或 <=
not-of-objectives = `{ $text }`：{ $measure } 不能用于目标；请写 p99 之类的分位数、mean、max 或 errors
never-holds = `{ $text }` 永远不会成立；请写大于 0 的上限

## 被测服务
shares-alone = 只有一个变体，没有别的变体与它共用进程；请让各变体在某一点上不同，或去掉 shared
command-shared = 只有目录中的被测服务才能让多个变体共用一个进程；请去掉 shared，或为它在目录中建一个文件夹
cannot-differ = { $other ->
    [none] { $folder } 没有声明同一进程的变体可以在哪一点上不同；请去掉 shared
   *[other] { $folder } 中共用进程的变体不能在 { $other } 上不同；请只改变 { $parameter }，或去掉 shared
}
needs-parameter = { $folder } 需要 { $parameter }；请在 with 下写 { $parameter }（{ $doc }）
not-in-every-combination = 并非每个组合都有 { $factor }；请在 with 下写它的常用值：{ "{" } { $factor }: … { "}" }
other-factors = 第 { $row } 行改变的设置与第一行不同；请写 { $factors }，或给每个组合命名：plain: { "{}" }
not-applicable = { $when } 不适用于 { $with }：{ $because }；使用 { $when } 时请写 { $form }，或排除该组合
excludes-nothing = 没有排除任何组合；请删除，或写 vary
leaves-none = 没有留下任何{ thing }；请多保留一些
bad-beginning = `{ $word }` 不以 { $known } 开头；请写符合的词，以空格分隔
unknown-placeholder = { "{" }{ $name }{ "}" } 没有对应的值；可用：{ $known }
no-port = 命令得不到端口；请在命令接收端口的位置写 { "{port}" }，例如 --port { "{port}" }
budget-too-short = { $given_s }不够得出判定：首次判定需要 { $first } { $rounds ->
    [true] 轮
   *[other] 次重启
}，连同预热和检查至少 { $needed_s }；请用 --budget { $budget }（响应很慢时也够用），或用 --smoke 只作检查、不作判定
cycles-of-whole = 负载 { $load } 不能切成时间片，因此不能轮流运行；请不写 mode，或写 serial
unused-factor = 设置 { $factor } 没有改变任何东西；请在 command 或 env 中写 { "{" }{ $factor }{ "}" }
port-twice = 端口 { $port } 同时用于 { $variants } 个同时运行的变体；请去掉 port，在命令需要的位置写 { "{port}" }
no-program = { $program } 不是可执行的程序；请检查名称和权限
unknown-format = 本版本不认识格式 { $found }；请写 { $known }，或使用更新的 Proofload
leads-out = { $path } 超出了所在的文件夹；请写其中的路径
never-starts = 进程 { $process } 排在一个不存在或排在它之后的进程之后；请写能在它之前启动的进程
nul = 含有 NUL，无法传给程序；请删除
different-paths = 一个地址请求 { $one }，另一个请求 { $other }；只有服务器可以不同，请让所有地址使用相同的路径
weight-of-one = { $entry } 带有权重，而只有混合负载才有权重；请删除权重，或删除 ask: separately

## 负载
open-thinks = 开环负载没有思考时间：请求按各自的时刻发出；请删除
one-number = 开环负载的连接数是一个数；请写 connections: 64 或 auto；阶梯写在 rate 中
most-below-first = 最多 { $most } 个连接，少于起始的 { $first } 个；请提高上限，或降低起始数
auto-closed = 在闭环中，连接数就是负载，连接数不同就是不同的问题；请写一个数，或改用开环负载
start-too-long = 用户启动的时间超过了负载的时限；请提高 cap 或缩短 ramp
not-below = { $from } 不低于最高速率 { $to }；请写更低的值
flat-ladder = 阶梯的各级高度相同；请减少级数，或扩大范围
flat-spike = 尖峰没有高于基线；请写 base..peak
spike-too-long = 尖峰在其阶段结束之后才结束；请延长该阶段
amplitude = 振幅不符合要求：速率不能低于 0；请写大于 0 且不超过均值的值
asks-nothing = 没有发出任何请求；请写大于 0 的值
checkpoints = { $found } 个检查点；趋势至少需要 { $low } 个，最多 { $high } 个；请延长长稳测试，或调整检查点间隔，例如 soak: 2h, checkpoint: 2m
no-length = 这里没有带时长的负载；请删除；它只能缩短带 for: 或 soak: 的闭环负载
search-alone = 搜索只有一个负载；请单独写 workload 和 load，一次搜索一个请求
counted-stream = 按请求数结束的负载流结束后，只剩其他负载流在运行；请写连接数、速率或阶段
several-ladders = 多个负载流带有阶梯；请只保留一个
bad-distribution = { $found } 的均值或中位数为 0，或者 99 百分位低于中位数或超过其一百万倍；请写成 { $form } 这样
no-largest = 这个分布的大小没有上限；请写明最大值：most: 1MiB，或 sized:exp:2KiB<1MiB
mixed-stages = 有的是速率，有的是连接数；请在所有速率后面写 /s
time-goes-back = 早于上一行；请每行写一个以秒为单位的时间，且不早于上一行
trace-over = 录制的到达序列在 { $length_s } 后就结束；请写更短的时间，或重复回放
bad-lines = { $lines }{ $more ->
    [0] {""}
   *[other] ，另有 { $more } 行类似
}

## 请求
not-in-paths = `{ $character }` 不能出现在路径中；请写 { $encoded }
whole-address = 这里应写路径，而不是完整地址；请在 subjects 下写服务器，在这里写路径
path-of-subject = 带有路径 { $path }，而请求内容写在 workload 中；请写 http://host:port，路径写在 workload 下
unknown-protocol = { $found } 不是支持的协议：尚不支持 WebSocket、HTTP/2 和 gRPC（可用的工具见 docs/peers.md）；请写 { $known }
user-in-address = 地址中含有用户名；请改用 --basic 或 auth 发送 Authorization 请求头
no-socket-path = { $address } 中没有套接字的路径；请写完整路径，用 %2F 代替 /，例如 http+unix://%2Frun%2Fapp.sock/path
socket-path-too-long = { $address } 中的套接字路径有 { $length } 字节；内核最多接受 { $most } 字节，请使用更短的路径
one-server = 所有地址会指向同一个服务器；请分别写成 http+unix://%2Frun%2Fapp.sock/
not-resolved = 无法解析 { $host }（{ $error }）；请检查名称，或写数字形式的地址
not-local = { $address } 不是本机的地址；`ip address` 会列出本机地址
other-family = 从 { $from } 无法到达 { $to }，两者的地址族不同；请绑定同一地址族的地址，或去掉绑定
socket-bound = { $to } 是 Unix 套接字，没有本地地址；请去掉 bind
socket-behind-proxy = Unix 套接字不能经由代理服务器访问；请删除 proxy，或写 http://host
own-header = { $name } 由 Proofload 设置；{ $instead ->
    [none] 请去掉
   *[other] 若每个请求都要新建连接，请写 { $instead }
}
token-spaces = 令牌中不能有空格；请只写令牌本身
feeder-in-basic = { $digest ->
    [true] digest 的用户名和密码不能使用数据源的值；请写固定的值
   *[other] 用户名和密码以 base64 发送，不能使用数据源的值；请把 Authorization 的完整值放进一列
}
user-colon = 用户名中不能有冒号；请写 user:password
unnamed-part = 表单的字段需要名称；请写 field=value
not-reached = { $error }；请检查服务器及其注册表
not-searched = 几乎所有变体的 { $measure } 都为零，无从选出最优；请搜索吞吐量或时间
head-body = HEAD 的应答没有正文；请删除
call-status = 调用没有各协议通用的状态；请删除：预期的是结果，异常或故障即为错误
types-and-arguments = { $arguments } 个参数却有 { $types } 个类型；请给每个参数写明类型
no-method = 没有写方法；请写 { $path }?method=echo
open-placeholder = { "${" } 之后没有 { "}" }；请写 { "${name}" }，要写字面的 { "${" } 请用 { "$${" }
unknown-feeder = 没有名为 { $found } 的数据源；已有：{ $known }；要写字面的 { "${" } 请用 { "$${" }
which-column = { $feeder } 有多列；请写 { "${" }{ $feeder }.COLUMN{ "}" }，列名为 { $known } 之一
no-columns = { $feeder } 没有列；请写 { "${" }{ $feeder }{ "}" }，去掉 .{ $column }
drawn-size = { $feeder } 的大小随机抽取，只能用于正文；请写 { "{ random_text: 16 }" }
not-json = 不是 JSON，而在 JSON 正文的引号之外必须是 JSON；要写成字符串请用 { "${" }{ $name }|json{ "}" }，要原样写入请用 { "${" }{ $name }|raw{ "}" }
cannot-keep = 无法把数据源的文本存放到 { $folder }：{ $error }；请把 TMPDIR 设为有足够空间的文件夹
open-quote = 从这里开始的引号没有闭合；请闭合，或在带引号的值中用 "" 表示引号
ragged-row = 有 { $columns } 列，而第一行命名了 { $first } 列；含逗号的值请加引号
bad-format = 不是{ expected }：{ $error }；请更正
unnamed-column = 第 { $column } 列没有可用的名称；列名写在第一行
no-field = 缺少第一行所有的 { $field }；请在每一行都写上
no-rows = { $file } 中没有数据行；请至少写一行
framing-value = 请求头 { $name } 决定消息或连接的边界，不能使用变化的值；请写固定的值
not-carried = { $calls ->
    [true] 使用 { $protocol } 的服务器接受调用，而不是路径请求；请写 call: interface.method
   *[other] { $protocol } 不能调用方法；请写明服务器使用的协议，例如 speaks: { "{ protocol: dubbo }" } 或 dubbo://
}
one-argument = json 只发送一个参数，而调用有 { $arguments } 个；请使用 jsonrpc，或把它们放进一个对象或列表
cannot-write = { $error }；请写其他的值，或使用其他的序列化方式

## 连接
other-protocol = { $found } 与地址中的协议 { $address } 不同；请删除
no-rmi-name = rmi 缺少注册表中的名称；请写 name: NAME，或在命令行写 rmi://host:port/NAME
no-tls = 对不使用 TLS 的地址没有意义；请写 https://，或删除
proxy-scheme = 与代理服务器之间使用明文 HTTP，而不是 { $scheme }；请写 http://host:port
not-pem = { $file }：{ $error ->
    [none] 其中没有可以读取的证书
   *[other] { $error }
}；请使用 PEM 格式
needs-password = { $file } 已加密；请提供其密码（tls 下的 password，或 --pass）
wrong-password = { $file }：密码不正确；请提供写入该文件时所用的密码
old-encryption = { $file } 使用的加密方式不能读取；请用以下命令转换：openssl pkcs8 -topk8 -in { $file } -out key.pem
not-pkcs12 = { $file } 不能作为 PKCS#12 读取（{ $error }）；请用以下命令重新写入：openssl pkcs12 -export -in cert.pem -inkey key.pem -out client.p12
no-authorities = 系统中没有证书颁发机构的证书{ $error ->
    [none] {""}
   *[other] （{ $error }）
}；请指定证书文件，或安装 ca-certificates
expired = { $file }：证书已于 { $at } 过期；请更新证书
not-yet-valid = { $file }：证书在 { $at } 之前无效；请检查本机时钟
key-of-another = { $key } 不是 { $certificate } 的密钥（{ $error }）；请提供配套的密钥
