basis-the-same-in-all = 各区组全都相同
basis-estimate = 估计值 { $told }
basis-hodges-lehmann = Hodges–Lehmann 估计 { $told }
basis-no-interval = 没有区间
rests-on-borrowed = { $used ->
    [true] 离散 { $own }，并借用了
   *[false] 仅凭自身的离散 { $own }，未采用
  }{ $earlier ->
    [true] 此前运行中
   *[false] 本研究中
  } { $relatives } 个同类数值的离散 { $spread }{ $used ->
    [true] （不借用时为 { $plain }）
   *[false] {""}
  }
arrivals-and-answers = { $loops }，{ $counts } 个应答
outcome-at = { $word }：以 { $between } 为界，{ $why }
exactly = 为{" "}
sentence = { $found }（{ $basis }）。论断“{ $claim }”：{ $outcome }。{ $spread ->
    [none] {""}
   *[other] { $spread }
}
pair-throughput-times = { $over } 处理的请求{ $stream }{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}是 { $under } 的 { $times } 倍
pair-throughput = { $over } 处理的请求{ $stream }{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}比 { $under } { $more ->
    [true] 多
   *[false] 少
} { $share }
pair-cpu-times = { $over } 每个请求所用的 CPU 时间{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}是 { $under } 的 { $times } 倍
pair-cpu = { $over } 每个请求所用的 CPU 时间{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}比 { $under } { $more ->
    [true] 多
   *[false] 少
} { $share }
pair-per-cpu-times = { $over } 每秒 CPU 时间处理的请求{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}是 { $under } 的 { $times } 倍
pair-per-cpu = { $over } 每秒 CPU 时间处理的请求{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}比 { $under } { $more ->
    [true] 多
   *[false] 少
} { $share }
pair-measure-times = { $over } 的 { $measure }{ $stream } { $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}是 { $under } 的 { $times } 倍
pair-measure = { $over } 的 { $measure }{ $stream } { $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}比 { $under } { $more ->
    [true] 高
   *[false] 低
} { $share }
pair-within = { $found }：在 ±{ $band } 以内{ $differ ->
    [true] 实际等效
   *[false] 等效
}
level-difference = { $left } 减去 { $right } 的差{ $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}为 { $value }
level-times = { $left } { $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}是 { $right } 的 { $value } 倍
level = { $left } { $bound ->
    [at-least] 至少
    [at-most] 最多
   *[none] {""}
}为 { $value }
basis-interval = { $confidence } { $anytime ->
    [true] 随时有效
   *[false] 重复检视
}置信区间 { $low } … { $high }
blocks-made-of = { $n } 个区组，{ $restarted ->
    [true] 每次全新启动
   *[false] 测的是同一批运行中的进程
}，{ $serial ->
    [true] 先后运行
   *[false] 轮流运行
}
outcome-in-this-sitting = 就本场次而言{ $word }
