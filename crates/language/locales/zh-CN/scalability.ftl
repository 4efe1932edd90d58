scalability = 可扩展性
not-observed-up-to = 直到 { $highest } 未观察到
scalability-columns = 变体 | 最大吞吐量 | 低负载响应时间 | 拐点，连接数 | 达到最大值 95% 的起点 | 峰值，连接数 | 依据 | 说明
ladder = { $points } 个负载点，{ $first } 到 { $last } 个连接，{ $blocks }
ladder-of-one = { $only } 个连接，{ $blocks }
