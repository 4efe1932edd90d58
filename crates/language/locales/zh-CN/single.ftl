nothing-answered-connection-refused = 连接被拒绝
nothing-answered-no-connection-in-time = 未能及时建立连接
nothing-answered-connection-failed = 连接失败
nothing-answered-no-local-port-or = 没有空闲的本地端口或描述符
nothing-answered-no-answer-in-time = 未能及时应答
nothing-answered-no-request-was-sent = 没有发出任何请求
load-of-connections = { $count } 个连接
load-of-s = { $seconds } 秒
load-of-loop = { $label }，{ $model }，时长 { $time }
answers = { $count } 个应答
errors-of = 错误 { $n }（{ $share }）：{ $what }
record-at = 记录 { $path }
more-verbose-and-more-v = 还有 { $n } 条：-v
latency = 延迟
generator-fit-busy = { $busy ->
    [none] 发压端合格
   *[other] 发压端合格（忙碌 { $busy }）
}
