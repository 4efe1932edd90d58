sittings = { $n } 个场次
rests-on-sittings = { $blocks }，分 { $sittings }
of-sittings-with-the-of-between = 计入此前 { $n } 个场次之间的 τ { $tau }
of-sittings-means-of = { $sittings }的均值
too-few-sittings-so-far-and-where = 目前有 { $sittings }；区组分属多个场次时，检视按场次计数：下一次在 { $need } 个；同一场次的区组共有当时的条件，所以区组再多也代替不了场次
too-few-sittings-too-few-for-an = { $sittings }：太少，给不出区间
sittings-cross-about-more-would-settle = 大约再做 { $sittings }即可判定
sittings-cross-no-number-of-sittings = 再多的场次也难以判定
sittings-cross-the-interval-allows-both = 区间容许两种结论；分辨力为 ±{ $resolution }；{ $more }
widened-by-sittings-earlier-sittings-differed-by = 此前 { $n } 个场次之间相差 τ = { $tau }，一个场次能说明另一个场次的只有这么多：场次更多则更窄（proofload replicate）
sittings-sittings = 场次
sittings-not-planned = 场次数没有在第一个场次之前定下：若场次数不是看了结果才选的，区间就有效
sittings-close-sittings-began = { $n } 个场次
sittings-close-less-than-minutes-after = 有 { $those }在前一个场次结束后不到 30 分钟就开始：以小时计的变化几乎不在它们的离散之内
sittings-differ-not-the-same-in = 各场次不尽相同：{ $what }；若有影响，就在它们的离散之内
limits-of-each = 每个场次的局限见它自己的报告
sitting-columns = 开始 | 区组 | 种子 | 标识
spread-of-single-blocks = 每个场次只有一个区组，所以不知道它自身的离散；下一个场次预计在 { $low } … { $high } 之内（95%）。
spread-of-sittings = { $tau ->
    [none] 场次之间的差别不大于各自区组之间的 { $within }
   *[other] 场次之间的离散为 τ = { $tau }，各自区组之间的离散为 { $within }
}{ $q ->
    [none] {""}
   *[other] （Q = { $q }，自由度 { $freedom }，p { $p }）
}；下一个场次预计在 { $low } … { $high } 之内（95%）{ $worth ->
    [none] {""}
   *[other] ；一个场次相当于 { $worth }
}。
made-of-sittings = { $runs } 次运行，{ $sittings }，{ $blocks }，检视点 { $looks }
