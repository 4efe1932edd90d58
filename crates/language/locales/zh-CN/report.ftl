verdicts = 判定
sentences = 每条论断的结果
expectations = 预期与实测
published-elsewhere = 他处发表的数据，来自别的机器；仅列在实测值旁，不参与判定
figures = 指标
outcomes = 交互结局
steps = 步骤与旅程
requests = 各请求
request-columns = 请求 | 交互数 | 吞吐量 | p50 | p99 | 错误
requests-others = 其余 { $n } 个
environment = 环境
parameters = 参数
limits = 本次测试的局限
bad-answers = 最先出现的错误应答
bar-at = 于 { $low } 处
bar-from-to = 于 { $low } 到 { $high } 之间
bar-above = 于 { $low } 以上
bar-below = 于 { $high } 以下
bar-everywhere = 于任何值
bar-on-a-logarithmic-scale = { $interval }，对数刻度从 { $from } 到 { $to }；论断成立{ $holds }
blocks = { $n } 个区组
headline-ratio = { $measure ->
    [none] { $over } 与 { $under }{ $at } 的吞吐量之比{ $sure ->
        [true] {""}
       *[false] 实测
    }{ $times }{ $rest }，基于 { $basis }
   *[other] { $over } 与 { $under }{ $at } 的 { $measure } 之比{ $sure ->
        [true] {""}
       *[false] 实测
    }{ $times }{ $rest }，基于 { $basis }
}
at-least-ratio = 至少为 { $ratio }
at-most-ratio = 至多为 { $ratio }
headline-undecided = { $line }（未定）
headline-no-interval = （没有区间）
expected-range = 预期 { $range }
expected-from = 预期 { $range }（{ $source }）
machine-fact = 机器：{ $what }
claim = 论断
expectation = 预期
verdict-columns-verdict = 判定
verdict-columns-based-on = 依据
verdict-columns-why = 原因
reasons = 关于判定的补充
the-run = 整次运行
variant = 变体
errors = 错误
response-time = 响应时间
service-time = 服务时间
first-byte = 首字节
first-byte-column = 首字节 p50 / p99
send-delay = 发送延迟
workload = 工作负载
mode = 运行方式
blocks-word = 区组
conditions = 测量条件
cpus = CPU
generator = 发压端
proofload = proofload
kernel = 内核
cpu-model = CPU
memory = 内存
loop-of = { $point }，{ $model }
asked = { $workload }；种子 { $seed }
complete-and-excluded = 完整 { $complete } 个，剔除 { $excluded } 个
cpus-generator-subjects = 发压端 { $generator }，被测服务 { $subjects }
generator-nothing-was-answered = 没有任何应答
generator-fit = 发压端合格
generator-not-fit = 不合格
generator-agents = { $agents } 个代理{ $lost ->
    [0] {""}
   *[other] ，其中 { $lost } 个失联（计划的 { $count } 次交互未施加）
}，时钟误差不超过 { $within }
generator-threads = { $threads } 个线程
generator-of-cpu-per-exchange = 每次交互 { $cost } CPU 时间，{ $threads }，{ $driver }，{ $fit }
sent-and-received = 发送 { $sent }，接收 { $received }
headline-single = { $seconds } 秒内每秒应答 { $per_s } 个，p50 { $quantile }，p99 { $quantile2 }，{ $errors } 个错误
more-lines = ……还有 { $n } 条
left-out-for-length = 因篇幅略去：{ $sections }。
answered = { $n } 次交互得到应答
published-columns = 量 | 发表值 | 实测值 | 实测 / 发表 | 来源
latency-columns = {" "}| 计数 | 均值 | p50 | p90 | p99 | p99.9 | 最大
answered-column = 已应答
bytes = 字节
preset-preset = 预设
tally-of = { $n } 条{ $word }
headline-alike = { $measure ->
    [none] { $over } 与 { $under }{ $at } 的吞吐量相当{ $rest }，相差在 { $band } 以内，基于 { $basis }
   *[other] { $over } 与 { $under }{ $at } 的 { $measure } 相当{ $rest }，相差在 { $band } 以内，基于 { $basis }
}
claim-serves-more = { $first } 的吞吐量高于 { $other }
claim-serve-alike = { $first } 与 { $other } 的吞吐量相当
headline-open = { $over } 与 { $under }{ $at } 哪个更快：未定，×{ $ratio }，基于 { $basis }
details = 详情
