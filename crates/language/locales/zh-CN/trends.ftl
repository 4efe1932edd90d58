trends-over-the-soak = 长稳测试中的趋势
trend = 对象
outside-the-heap = 警告：堆的存活集没有增长，或增长不到一半，因此增长发生在堆外：直接缓冲区、元空间、线程栈、本地代码
may-be-garbage = 没有强制回收：其中可能有尚未回收的垃圾；只有存活集才能确认泄漏
trend-verdict = 无增长
trend-measure-live-set-after-forced = 强制回收后的存活集
trend-measure-used-heap-the-least = 已用堆（两次回收之间的最小值）
trend-measure-resident-memory = 常驻内存
trend-measure-open-descriptors = 打开的描述符
trend-measure-p50-of-each-second = 每秒的 p50
trend-measure-p99-of-each-second = 每秒的 p99
trend-it-does-not-grow = 不增长
classes = 增长最多：{ $growth }
trend-of = { $block ->
    [none] { $place } 的{ $measure }
   *[other] { $place } 的{ $measure }，区组 { $block }
}
trend-rests-on = 每小时 { $per_hour }{ $each ->
    [none] {""}
   *[other] ，每个请求 { $each }
}，{ $confidence }，水平 { $level }，{ $hours } 小时内 { $values } 个值，剔除 { $left_out } 个
trend-growth = 每小时增长{ $of_heap ->
    [true] 最大堆
   *[false] 其水平
}的 { $share }，后一半也在增长（每小时 { $second }）{ $is_leak ->
    [true] ：是泄漏
   *[false] {""}
}
trend-no-growth = { $hours } 小时最多增长 { $most }，即{ $of_heap ->
    [true] 最大堆
   *[false] 其水平
}的 { $share }；低于 { $allowed } 视为无增长
trend-filling = { $goes_on ->
    [true] 仍在填充，尚未填满：前一半每小时 { $first }，后一半仍有 { $second }；是否会停止，需要更长的长稳测试才能判断
   *[false] 是填充，不是泄漏：前一半每小时 { $first }，后一半 { $second }，已不算增长
}
trend-undecided = { $grows ->
    [late] 后一半在增长，但总体上不能确定
    [overall] 总体上在增长，但后一半不能确定
    [little] 在增长，但不足以算作增长，也不能算作无增长
   *[perhaps] 可能增长，也可能不增长
}；可检出的最小增长为每小时 { $detectable }（{ $of_heap ->
    [true] 最大堆
   *[false] 其水平
}的 { $share }）；延长测试能检出更小的增长
no-trend-too-few = 没有趋势：只有 { $have } 个值，至少 { $need } 个才能看出趋势
no-trend-not-finite = 没有趋势：第 { $at } 个值（从 0 数起）不是有限数
no-trend-no-time = 没有趋势：所有值都在同一时刻
