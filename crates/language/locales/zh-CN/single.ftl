load-of-connections = { $count } 个连接
load-of-s = { $seconds } 秒
load-of-loop = { $label }，{ $model }，时长 { $time }
answers = { $count } 个应答
answers-after-the-load = 其中 { $late } 个在加载结束之后
errors-of = 错误 { $n }（{ $share }）：{ $what }
record-at = 记录 { $path }
more-verbose-and-more-v = 还有 { $n } 条：-v
latency = 延迟
generator-fit-busy = { $busy ->
    [none] 发压端合格
   *[other] 发压端合格（忙碌 { $busy }）
}
