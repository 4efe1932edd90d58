trends-over-the-soak = 长稳测试中的趋势
trend = 对象
trend-verdict = 无增长
trend-measure-live-set-after-forced = 强制回收后的存活集
trend-measure-used-heap-the-least = 已用堆（两次回收之间的最小值）
trend-measure-resident-memory = 常驻内存
trend-measure-open-descriptors = 打开的描述符
trend-measure-p50-of-each-second = 每秒的 p50
trend-measure-p99-of-each-second = 每秒的 p99
trend-of = { $block ->
    [none] { $place } 的{ $measure }
   *[other] { $place } 的{ $measure }，区组 { $block }
}
trend-rests-on = 每小时 { $per_hour }{ $each ->
    [none] {""}
   *[other] ，每个请求 { $each }
}，{ $confidence }，水平 { $level }，{ $hours } 小时内 { $values } 个值，剔除 { $left_out } 个
