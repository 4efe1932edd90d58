noise = 两个相同的服务器在这里相差多少（标准差）
resolution = 这台机器能分辨多小的差别：五次实验中有四次能检出
resolution-note = 均为完整的实验：两个变体、一个负载点、一条论断，按检视点判定；区间反映所测噪声的不确定度。如果服务器各次启动之间的差别比参考服务器更大，分辨力会更差。
search = 搜索过程（搜索数据：领先者有一定的运气成分；这些都不算收益）
noise-machine = 内核 { $kernel }，{ $cpu_model }，Proofload { $build }
noise-row-none-found = 未发现
noise-row-none = 无
resolution-column = { $minutes } 分钟，{ $preset }，{ $blocks }
resolution-rows-difference = { $measure }：差别
resolution-rows-equal-within = { $measure }：等效范围
age-minutes = { $n } 分钟
age-hours = { $n } 小时
age-days = { $n } 天
search-title = 调优 { $study }：{ $goal } { $measure }{ $stream } @ { $point }，默认 { $default }
heat = 第 { $number } 轮：{ $variants } 个变体，{ $blocks }，{ $run }
search-winner-nothing-was-better-than = 搜索中没有比默认的 { $default } 更好的：保留默认，不作任何论断
search-winner-fresh-blocks-of-against = { $winner } 与默认的 { $default } 的全新区组，判定如下：
search-winner-the-search-led-to = 搜索得到 { $winner }；没有全新区组把它与默认的 { $default } 比较，不作任何论断
noise-columns = 度量 | 一次运行 | 区组比值 | 启动 | 时间片 | 漂移 | 漂移持续性（时间片之间） | 受损的时间片
search-columns = 变体 | 搜索数据，与默认之比 | 区组 | 淘汰轮次
slice-length-columns = {" "}| 区组比值（短时间片） | 区组比值（长时间片） | 真实差别 6% 时，长与短之差
noise-not-of-the-last = 不是最近 { $days } 天的
noise-other-kernel = 当时的内核是 { $then }
kept-in = 保存于 { $run }
out-after-heat = 第 { $heat } 轮
noise-title = 这台机器的噪声：两个相同服务器的 { $blocks }，每个 { $cycles } 个循环、时间片 { $slice }，共 { $minutes } 分钟，{ $when }
noise-drift = { $sd }，占时间片方差的 { $share }
noise-spikes = { $share }，幅度 { $size }
slice-lengths = 短时间片与长时间片：每个区组里 { $cycles } 个 { $slice } 的与 { $long_cycles } 个 { $long_slice } 的
noise-resolved-in = { $minutes } 分钟可分辨 { $share }
noise-audit = { $age }前的噪声测量{ $outdated ->
    [none] {""}
   *[other] （{ $outdated }：用 proofload doctor --noise 重新测量）
}：两个相同服务器之比的离散为 { $spreads }
noise-resolves = { $measure } 可检出的差别（五次实验中有四次）：{ $resolved }
