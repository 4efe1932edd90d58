capacity-title-capacity-the-highest-rate = 容量：满足 { $slo } 的最高速率
capacity-search = 搜索
trials-of = { $variant } 的试验
capacity-answer-below-the-range = 低于范围
capacity-answer-not-within-the-range = 超出范围：至少为最高速率
capacity-answer-client-limited = 发压端受限
capacity-answer-limited-by-connections = 受连接数限制
capacity-answer-not-settled = 未能确定
trial-stage-confirm-low = 确认下限
trial-stage-confirm-high = 确认上限
trial-stage-fresh = { $what }，全新启动
trial-outcome-client-limited = 发压端受限
trial-outcome-connections = 受连接数限制
capacity-columns = 变体 | 容量 | 结论 | 满足目标 | 不满足目标 | 搜索试验数 | 确认试验数
trial-columns = 试验 | 速率 | 目的 | 已发出 | 及时完成 |  | 原因
trial-outcomes = { $all } 次中 { $n } 次{ $outcome }
capacity-searched = { $from } 到 { $to }，每次试验 { $trial } 秒，确认之前最多 { $trials_max } 次{ $warm_up ->
    [none] {""}
   *[other] ，每次启动预热 { $warm_up } 秒
}，种子 { $seed }
capacity-found = { $variant } 在满足 { $slo } 的前提下能承受 { $interval }{ $process ->
    [true] （仅指这个正在运行的进程）
   *[false] {""}
}
capacity-below-range = { $variant }：不在范围内：在最低速率 { $rate } 下就不满足 { $slo }{ $process ->
    [true] （仅指这个正在运行的进程）
   *[false] {""}
}
capacity-above-range = { $variant }：不在范围内：在满足 { $slo } 的前提下至少能承受最高速率 { $rate }{ $process ->
    [true] （仅指这个正在运行的进程）
   *[false] {""}
}
capacity-limited = { $generator ->
    [true] { $variant }：速率为 { $rate } 时发压端受限
   *[false] { $variant }：速率为 { $rate } 时受连接数限制
}：{ $at_least ->
    [none] { $unconfirmed ->
        [none] 无法判断它的容量
       *[other] 在 { $unconfirmed } 下多数试验通过，但未经确认
    }
   *[other] 在满足 { $slo } 的前提下容量至少为 { $at_least }{ $process ->
        [true] （仅指这个正在运行的进程）
       *[false] {""}
    }
}
capacity-not-settled = { $variant }：容量未能确定{ $passed ->
    [none] { $failed ->
        [none] {""}
       *[other] ：在 { $failed } 下多数试验未通过
    }
   *[other] { $failed ->
        [none] ：在 { $passed } 下多数试验通过
       *[other] ：在 { $passed } 下多数试验通过，在 { $failed } 下多数未通过
    }
}
