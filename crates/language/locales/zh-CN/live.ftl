live-first-look = 首次检视在 { $counted }之后
live-after = { $counted }之后
live-preparing = 准备中
live-step-starting = 正在启动
live-step-starting-one = 正在启动 { $variant }
live-step-warm-up = 预热 { $done }%
live-step-turn-of = 第 { $cycle }/{ $of } 个循环：{ $variant } @ { $point }
live-step-with-once-and-twice = { $variant } @ { $point }，发压端线程数不变与加倍对照
live-step-longer-turns-to-check = @ { $point } 用更长的时间片核对短时间片
live-step-how-much-the-generator = 测量发压端在 { $point } 下的上限
live-claims = 论断
live-more-claims = 还有 { $rest } 条论断，其中 { $settled } 条已判定
live-more-servers = 还有 { $rest } 个服务器
live-rate = 速率
live-errors = 错误
live-cores = 核
live-memory = 内存
live-each-turn = 时间片
live-in-words-at-most-left = 最多还需 { $last }
live-in-words-about-left = 约需 { $last }
live-in-words-about-left-to-at = 约需 { $median }（{ $low } 到 { $high }），最多 { $last }
live-network = 网络：{ $found }
live-name-lost = 失败
live-name-given-up = 已停止
live-name-settled = 已判定
live-numbers-no-interval-yet = 尚无区间
live-verdict-open = 待定
live-verdict-supported-so-far = 目前成立
live-verdict-refuted-so-far = 目前不成立
live-ratio-still-wide = { $point }，区间仍然很宽
live-rows-failed = 失败
live-rows-generator-busy = 发压端忙碌
live-ctrl-c = 按 Ctrl-C 结束测量，并显示已测得的结果
live-answered = 已应答
run-left-out = 略去 { $variant }：{ $why }
run-missing = { $variant } 无法测量，其他变体照常测量：{ $why }
run-no-claim = 没有剩下任何论断：只有指标，没有判定
run-begun = { $study }：最多 { $minutes } 分钟，种子 { $seed }
run-goes-on = { $study }：从区组 { $last } 之后继续，已完成 { $complete } 个
run-earlier-sittings = 此实验或同类比较此前的 { $runs } 次运行在场次之间相差最多 { $widest }，区间已计入
run-interrupted = 已中断；继续请用：proofload resume { $run }
doubts-unknown = 这台机器能分辨多小的差别尚不清楚：可用 proofload doctor --noise 测量（6 分钟，每周一次）
doubts-warning = 警告：{ $doubt }
doubts-old = 上述结论所依据的噪声测量已过时：{ $outdated }
doubts-heading = 这台机器能分辨多小的差别
doctor-nothing-left = 没有残留
doctor-clean = 清理
doctor-noise = 噪声
doctor-ceiling = 上限
doctor-history = 历史
doctor-lent-none = 最近 90 天内，这台机器上没有运行到达首次检视：实验无从借用区组之间的离散；实验和 proofload doctor --noise 会为以后的运行留下它
doctor-lent = { $runs } 次运行，最早的始于 { $age }前：区组之间相差如此之多（标准差），供以后的实验借用
doctor-lent-row = { $measure }，{ $kind ->
    [level] 水平
   *[ratio] 两者之比
}，{ $runtime ->
    [jvm] JVM
    [both] JVM 与本地程序
   *[native] 本地程序
}，{ $model ->
    [open] 开环
    [mixed] 开环与闭环
   *[closed] 闭环
}，每个区组 { $seconds } 秒：{ $spread }，取自 { $relatives } 个{ $tau ->
    [none] {""}
   *[other] ；场次之间 { $tau }
}
wrote = 已写入 { $path }
no-room-in-summary = { $path } 空间不足：GitHub 每一步最多接受 1 MiB
no-record-kept = 没有留下记录：{ $error }；请指定 --dir DIR，或 --no-record
tune-heat = 第 { $heat }/{ $heats } 轮筛选：{ $variants } 个变体，{ $blocks } 个区组
tune-leads-to = 搜索选出 { $variant }；由全新的区组作出判定
replicate-sitting = 场次 { $number }/{ $last }
replicate-next-sitting = 下一个场次于 { $when } 开始；按 Ctrl-C 则就已有的场次作出判定
resume-another-sitting = 中断超过 30 分钟：现在测的是另一个场次，判定以场次为依据，检视按场次计数；若要得到只针对这一场次的判定，请重新运行
resume-out-of-budget = { $run } 的预算已用完，最后一次检视已用尽剩余的错误率：再测区块也不能作出判定；请用更长的 --budget 重新运行
live-counted = { $restart ->
    [true] { $n } 次重启
   *[false] { $n } 轮
}
live-round-in-words = { $restart ->
    [true] 第 { $block } 次重启，最多 { $of } 次
   *[false] 第 { $block } 轮，最多 { $of } 轮
}
live-now = 现在：
live-left-out = { $restart ->
    [true] 第 { $block } 次重启对所有变体一律剔除：{ $why }
   *[false] 第 { $block } 轮对所有变体一律剔除：{ $why }
}
live-skipped = 从现在起不再测量，与之有关的论断都已判定：{ $skipped }
live-noticed = { $restart ->
    [true] 第 { $block } 次重启：{ $what }
   *[false] 第 { $block } 轮：{ $what }
}
live-lost = { $restart ->
    [true] { $variant } 在本次重启中失败：{ $why }
   *[false] { $variant } 在本轮中失败：{ $why }
}
live-given-up = { $variant } 已停止测量：{ $why }
live-slices = { $restart ->
    [true] 时间片 { $length } 秒，每次重启每个服务器 { $cycles } 个：99% 的应答在 { $p99 } ms 之内
   *[false] 时间片 { $length } 秒，每轮每个服务器 { $cycles } 个：99% 的应答在 { $p99 } ms 之内
}
live-cycles = { $restart ->
    [true] 根据目前所见的离散，从现在起每次重启每个服务器 { $cycles } 个时间片，而不是 { $planned } 个
   *[false] 根据目前所见的离散，从现在起每轮每个服务器 { $cycles } 个时间片，而不是 { $planned } 个
}
live-look = { $counted }之后：{ $intervals }{ $left ->
    [none] {""}
   *[other] ；{ $left }
}
live-trial-nothing = 无
live-trial = { $variant }，试验 { $number }（{ $stage }{ $fresh ->
    [true] ，全新启动
   *[false] {""}
}）：{ $rate } { $outcome }，{ $values }
live-ceiling = 发压端在 { $point } 下的上限（应答不超过 { $kib } KiB）：每秒 { $rate } 次交互
live-no-ceiling = 发压端在 { $point } 下的上限未测得：{ $why }
live-progress-time = { $warm_up ->
    [true] 预热，{ $spent_s }/{ $all_s } 秒，还需 { $left }
   *[false] { $spent_s }/{ $all_s } 秒，还需 { $left }
}
live-progress-requests = { $done }/{ $count } 个请求，约需 { $left }
save-variable = 该研究从环境变量 { $name } 取得凭据
tune-explain = 在 { $budget } 内从 { $variants } 个变体中搜索，共 { $heats } 轮，然后将最佳者与默认者比较；每一轮都是如下的研究：
save-lengths = 研究自有其时长：-d 与 --warm-up 不写入
doubts-shared-cpus = 发压端与服务器共用 CPU { $cpus }：一方占用，另一方即不足
