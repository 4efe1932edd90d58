scalability = 可扩展性
not-observed-up-to = 直到 { $highest } 未观察到
no-ladder-too-few-load-levels = 负载级数太少（{ $need } 级只有 { $have } 级），找不出拐点
no-scalability = 给不出拐点或峰值：{ $reasons }
no-knee-knee-not-observed-up = 直到 { $highest } 个连接仍未观察到拐点：连接少得多时，吞吐量都远不及此，可能还在上升
no-knee-the-knee-is-at = 拐点在 { $lowest } 个连接或更少：这么多连接已达到最大值的 95%；请从更少的连接开始
no-knee-knee-not-observed-up-to-connections = 直到 { $highest } 个连接仍未观察到拐点：{ $lowest } 个连接时每次交互的耗时反而比连接更多时长
loaded-at = { $lowest } 个连接不算低负载：它们已经互相等待，拐点可能偏高；请从更少的连接开始
rung-left-out = 剔除了 { $connections } 个连接这一级：{ $why }
client-limited = 发压端受限：{ $finding }
failed-share = 有 { $share } 的交互失败
scalability-columns = 变体 | 最大应答率 | 低负载响应时间 | 拐点，连接数 | 达到最大值 95% 的起点 | 峰值，连接数 | 依据 | 说明
ladder = { $points } 个负载点，{ $first } 到 { $last } 个连接，{ $blocks }
ladder-of-one = { $only } 个连接，{ $blocks }
no-ladder-too-few-blocks = 每个连接数都有值的只有 { $blocks }，需要 { $need } 个
no-ladder-not-finite = 记录中有非有限的数值
no-peak = 直到 { $highest } 个连接仍未观察到峰值：{ $falls ->
    [true] 吞吐量下降了，但峰值的区间在此之前没有结束
   *[false] 吞吐量在那里可能仍处于最大值
}
