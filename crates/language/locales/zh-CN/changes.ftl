changes = 变点
no-series = 这里没有哪次运行跑完过一个区组：没有可跟踪的指标
changes-note = 不是判定：各次运行的时间不同，变化的可能是机器而不是服务器；变点的位置是按数值挑选的，所以变化幅度略有夸大；即使纯属噪声，在三十次运行之内，每一百个指标里也会有一两个出现变点
series-run = { $study }，运行 { $began }
series-comparable-runs-the-first = { $study }，{ $n } 次可比较的运行，第一次是 { $began }
apart = 与前一次运行不可比较：{ $difference }
too-few-runs-no-figure-has-a = 没有哪个指标在 { $needs } 次运行里都有值：太少，看不出变化
changed-with = 与前一次运行相比：{ $difference }
left-out-of-series = 剔除运行 { $run }：{ $what }
too-few-runs = 只有 { $runs } 次运行：太少，看不出变化；需要 { $needs } 次可比较的运行
no-change = 跟踪了 { $figures } 个指标；没有发现变化
changes-found = 跟踪 { $figures } 个指标，发现 { $changes } 处变化
change-point = { $place } 的 { $measure } 从运行 { $run } 起{ $rose ->
    [true] 上升
   *[false] 下降
} { $by }{ $points ->
    [true] （百分点）
   *[false] {""}
}，此前 { $before } 次运行，自该次起 { $after } 次
