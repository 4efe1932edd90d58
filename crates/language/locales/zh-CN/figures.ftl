starts-column-blocks = 区组
starts-column-starts = 启动
starts-cell = 1，没有区间
widened = 因发压端迟发或忙碌可能造成的影响，区间放宽了 { $share }
seen-only-holds-for-the-exchanges = 只对一次启动中看到的 { $exchanges } 次交互成立；以 95% 的置信度，它的交互失败的不到 { $upper }，换一次启动可能不同
seen-only-holds-for-the-exchanges-of-starts = 只对 { $starts } 次启动中看到的 { $exchanges } 次交互成立；以 95% 的置信度，此类交互失败的不到 { $upper }，出现错误的启动不到 { $upper_starts }
lower-end-never-answered = 个从未应答
lower-end-never-sent = 个从未发送
lower-end-of-is-a-lower = { $variant } 的 { $measure } 是下限：它的请求中有 { $said }，都排在其后
not-resolvable-is-not-resolvable-where = 标有 ≈ 处的 { $measure } 样本不足：{ $few_beyond }
unresolved = { $measure }({ $variant }) 样本不足：{ $few_beyond }
few-beyond = 一次启动中超出它的交互只有 { $fewest } 次，需要 { $need } 次；请延长每次启动的测量
longer-starts-and-more = {" "}等另外 { $n } 个
longer-starts-measuring-longer-per-start = 每次启动测得更久会使 { $named }{ $more } 的 { $measure } 更窄：启动之内的噪声超过启动之间离散的一半
over-starts = { $restarted ->
    [true] { $figure }，{ $n } 次启动
   *[false] { $figure }，{ $n } 个区组
}
