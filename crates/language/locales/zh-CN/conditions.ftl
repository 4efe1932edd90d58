asked-with = 只在以下条件下测过：{ $conditions }
conditions-how = { $vary ->
    [true] 在各区组间变化：{ $all }
   *[false] 固定：{ $all }
}
condition-cpus-kept-awake = CPU 保持唤醒
condition-cpus-that-may-sleep = CPU 可以休眠
condition-generator-on-cpus = 发压端使用 CPU { $cpus }
condition-generator-on-cpu = 发压端使用 CPU { $cpu }
condition-one-event = 一次处理一个事件
condition-events = 一次至多处理 { $events } 个事件
condition-answers-together = 应答成批取走
condition-answers-one-by-one = 应答逐个取走
condition-one-thread = 发压端用一个线程
condition-threads = 发压端用 { $workers } 个线程
condition-raised-priority = 提高发压端的优先级
condition-usual-priority = 不提高发压端的优先级
condition-environment = 环境变量多 { $bytes } 字节
condition-connections = 连接次序 { $order }
condition-extra-warm-up = 多预热 { $time }
