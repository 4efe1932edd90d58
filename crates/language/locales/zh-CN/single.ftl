delayed-ack = 应答在首字节之后约 40 ms 才结束：Nagle 算法在等延迟的 ACK；请在服务器上设置 TCP_NODELAY，或让它一次写出头和体
dropped-syns = { $late } 个应答晚了 1、3 或 7 秒，而服务器处理得很快：SYN 被丢弃，监听队列（backlog）太短；请加长（listen(2)、net.core.somaxconn）
nothing-answered-nothing-was = 没有任何应答：没有发出请求
nothing-answered-connection-refused = 连接被拒绝
nothing-answered-start-the-server-or = 请启动服务器，或更正地址
nothing-answered-no-connection-in-time = 未能及时建立连接
nothing-answered-check-the-address-and = 请检查地址和防火墙
nothing-answered-connection-failed = 连接失败
nothing-answered-check-the-address-debug = 请检查地址；--debug 显示原因
nothing-answered-no-local-port-or = 没有空闲的本地端口或描述符
nothing-answered-see-proofload-doctor = 见 proofload doctor
nothing-answered-no-answer-in-time = 未能及时应答
nothing-answered-allow-more-time-or = 请放宽时间，或用 --debug 查看一次交互
nothing-answered-no-request-was-sent = 没有发出任何请求
nothing-answered-see-one-exchange-with = 请用 --debug 查看一次交互
nothing-answered-see-one-exchange-with-debug = 请用 --debug 查看一次交互
nothing-answered-times = { $count } 次
nothing-answered = 没有任何应答：{ $what }（{ $times }）；{ $remedy }
load-of-connections = { $count } 个连接
load-of-s = { $seconds } 秒
load-of-loop = { $label }，{ $model }，时长 { $time }
answers = { $count } 个应答
errors-of = 错误 { $n }（{ $share }）：{ $what }
record-at = 记录 { $path }
generator-limited = 发压端受限，不是服务器的数据：{ $finding }；请降低速率、增加 --workers，或见 proofload doctor
more-verbose-and-more-v = 还有 { $n } 条：-v
latency = 延迟
silence = 有一次长达 { $longest } 没有应答。闭环会掩盖这种情况{ $rate ->
    [none] {""}
   *[other] ：请试 -r { $rate }
}
silences = { $count } 次约 { $typical } 没有应答，{ $period ->
    [none] 最长 { $longest }
   *[other] 每隔 { $period } 一次
}。闭环会掩盖这种情况{ $rate ->
    [none] {""}
   *[other] ：请试 -r { $rate }
}
generator-fit-busy = { $busy ->
    [none] 发压端合格
   *[other] 发压端合格（忙碌 { $busy }）
}
