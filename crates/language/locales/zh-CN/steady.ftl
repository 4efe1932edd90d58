steady-state = 稳态
unsteady = 未达稳态的启动，按每次应答的 CPU 时间
start-of = { $variant }，区组 { $block }
unsteady-found-a-step-after-cycle = 测量期间，第 { $cycles } 个循环之后出现台阶
unsteady-found-still-warming-at-the = 预热已到最长时间，与其他变体一样仍在预热
unsteady-found-still-changing-at-the = 预热已到最长时间，仍在变化
slices = 时间片
cycles = 循环
turns = 轮流运行
steady-state-columns = {" "}| 启动 | 稳态 | 达到时限 | 仍在预热 | 未达稳态 | 未测得 | 预热时间，中位数
unsteady-columns = 启动 | 发现 | 变化 | 各窗口，按先后
change-of-start = { $shared ->
    [true] { $change }，与其他变体一样，容许 ±{ $allowed }
   *[false] { $change }，超出其他变体，容许 ±{ $allowed }
}
preset = { $name }：预热{ $warm_up_cap ->
    [none] {" "}{ $warm_up } 秒
   *[other] 至稳态，最多 { $warm_up_cap } 秒
}，{ $cycles } 个循环、时间片 { $seconds } 秒，{ $looking ->
    [anytime] 从第 { $first } { $restarted ->
        [true] 次重启
       *[false] 轮
    }到第 { $last } { $restarted ->
        [true] 次重启
       *[false] 轮
    }，每次之后都判定
   *[looks] 在第 { $looks } { $restarted ->
        [true] 次重启
       *[false] 轮
    }之后判定
}，种子 { $seed }
slices-chosen = { $slice }，每片之前丢弃 { $discard }，因为首次预热结束时 99% 的应答在 { $p99 } 之内
held-against-long = 与 { $slice } 的时间片对照（{ $blocks }）：“{ $claim }”的比值在长时间片中{ $change ->
    [none] 未知
   *[other] {" "}{ $change }
}（{ $outcome ->
    [passed] 相差在 1% 以内
    [failed] 相差超过 1%
   *[unresolved] 分辨不出 1% 的差别
}）
slicing-at-first = 每个区组 { $cycles } 个，总时长与区组的其余部分大致相同
slicing-after-look = 区组 { $after_block } 之后每个区组 { $cycles } 个：就“{ $claim }”而言，成对时间片的离散为 { $slice_sd }，启动之间为 { $start_sd }；每个区组耗时 { $start_seconds } 秒，每个循环 { $cycle_seconds } 秒
turns-removed = 轮流运行消除了启动之内方差的 { $removed }；若先后运行，至少需要 { $blocks } 倍的区组
turns-removed-nothing = 轮流运行没有减小启动之内的方差：在这里串行也一样好
