sittings = { $n } 个场次
rests-on-sittings = { $blocks }，分 { $sittings }
of-sittings-with-the-of-between = 计入此前 { $n } 个场次之间的 τ = { $tau }
of-sittings-means-of = { $sittings }的均值
sittings-sittings = 场次
sitting-columns = 开始 | 区组 | 种子 | 标识
spread-of-single-blocks = 每个场次只有一个区组，所以其自身的离散未知；下一个场次预计在 { $low } … { $high } 之内（95%）。
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
