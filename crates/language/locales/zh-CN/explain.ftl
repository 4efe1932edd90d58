explain-variants = 变体
explain-workload = 工作负载
explain-load-points = 负载点
explain-expected = 预期
explain-published = 他处发表的数据
explain-objective = 目标
explain-first-order = 区组 1 的次序
explain-cpus = CPU
explain-conditions = 测量条件
explain-not-tested = 未检验
explain-free-port = 地址：127.0.0.1，每次启动时选一个空闲端口（{"{"}port{"}"}）
explain-slices-adapt = 若首次预热时的应答够快，则用更短的时间片、更多的循环：时间片为应答 p99 的 20 倍，至少 0.2 秒（其前 0.05 秒丢弃）
explain-cycles-adapt = 首次检视之后，根据时间片之间和启动之间的离散选取合适的循环数，2 到 60 个
explain-futility = 到最后一次检视也难以判定的论断会提前关闭，结果为未定
explain-skipping = 尚未判定的论断都用不到的变体不再测量
explain-study = 实验 { $study }：{ $question }
explain-claims = 论断（所有负载点共 { $count } 条，总误判概率 { $alpha }）
explain-figures = { $source }：{ $figures } 个数据
explain-conditions-vary-none-of-them-varies = 各条件均不变化：判定只对这种测量方式成立
explain-time = 时间（{ $preset }）
explain-search-length = 最多：{ $most }；预算 { $budget }
explain-length-s = { $seconds } 秒
explain-length-min = { $seconds } 分钟
explain-seed = 种子：{ $seed }
explain-command = 命令：{ $line }
explain-address = 地址：127.0.0.1:{ $port }
explain-digest = { $file }：sha256 { $digest }
explain-transport-proxy-asked-for-a = 代理服务器：{ $proxy }，用 CONNECT 建立隧道
explain-transport-proxy-forwards = 代理服务器：{ $proxy }，以绝对形式向它发送请求
explain-transport-no-proxy = { $used ->
    [true] 不经由代理服务器：{ $no_proxy }
   *[false] 不使用代理服务器：此服务器属于 { $no_proxy }（no_proxy，或环境变量 NO_PROXY）
}
explain-transport-tls = TLS：{ $line }
explain-tls-trusts = 信任 { $trusts }
explain-tls-has-a-client-certificate = 有客户端证书
explain-mode = 运行方式：{ $mode }，{ $mode_reason }
explain-cycle = 循环 { $number }：{ $variants }
explain-time-outs = 超时：连接 { $connect } 秒，应答 { $response } 秒
explain-conclusion = { $was ->
    [none] { $says }：由 { $claims } 检验
   *[other] { $says }（原为 { $was }）：由 { $claims } 检验
}
explain-conclusion-not-tested = { $was ->
    [none] { $says }：未检验：{ $why }
   *[other] { $says }（原为 { $was }）：未检验：{ $why }
}
explain-cpus-generator = 发压端：{ $cpus ->
    [none] 未绑定
   *[other] { $cpus }
}
explain-cpus-subjects = 被测服务：{ $cpus ->
    [none] 未绑定
   *[other] { $cpus }
}
explain-conditions-vary = 它们在各区组之间均匀变化：区间对所有条件都成立。如果服务器在各条件下的比较结果相近，就不必增加区组；如果某一条件下的比值高 10%，要达到 ±5% 需要{ $dependent ->
    [none] 很多区组
   *[other] {" "}{ $dependent } 个区组
}，而不是{ $usual ->
    [none] 很多
   *[other] {" "}{ $usual } 个
}，报告中会说明
explain-search = 搜索：每个变体最多 { $trials_max } 次试验，每次 { $trial } 秒（其前 { $discarded } 秒丢弃），然后确认两端
explain-search-block = 区组：{ $restarted ->
    [true] 全新启动
   *[false] 新连接
}，固定预热 { $warm_up } 秒，最多 8 次试验
explain-tls = { $versions }，服务器名 { $server_name }，{ $offers ->
    [none] 不提供 ALPN
   *[other] 提供 { $offers }
}，{ $resumed ->
    [true] 恢复会话
   *[false] 从不恢复会话
}
explain-tls-not-checked = 未经验证：应答的可能是另一个服务器（insecure）
explain-load-point-open = { $label }：开环，每秒 { $rate } 个请求，到达方式 { $arrival }
explain-load-point-users = { $label }：开环，每秒 { $rate } 个新用户，到达方式 { $arrival }
explain-load-point-shape = { $whole ->
    [true] { $shape }，整体执行
   *[false] { $shape }
}
explain-load-point-think-time-s = 思考时间 { $seconds } 秒
explain-load-point-think-time = 思考时间 { $think }
explain-block = 区组：{ $restarted ->
    [true] 每个变体全新启动
   *[false] 一段测量时间，不重启
}，{ $warm_up_cap ->
    [none] 固定预热 { $warm_up } 秒
   *[other] 预热到稳态，最多 { $warm_up_cap } 秒（按 { $reckoned } 秒估计；无法判断时为 { $warm_up } 秒）
}，{ $serial ->
    [true] 各变体先后预热，各用其中一份
   *[false] 各变体轮流预热
}
explain-cycles = 然后 { $cycles } 个循环；每个循环中，{ $whole ->
    [true] { $serial ->
        [true] 每个负载点对该变体执行一次，需要多久就多久
       *[false] 每个负载点对每个变体执行一次，需要多久就多久
    }
   *[false] { $serial ->
        [true] 每个负载点对该变体测 { $slice } 秒（其前 { $discarded } 秒丢弃）
       *[false] 每个负载点对每个变体测 { $slice } 秒（其前 { $discarded } 秒丢弃）
    }
}
explain-looks-anytime = 检视：从第 { $first } 个到第 { $last } 个区组，每个区组之后检视一次（--keep-going）；界限对所有检视都有效
explain-looks = 检视：在第 { $looks } 个区组之后；所有论断都已判定时提前结束
explain-blocks = { $steady ->
    [true] 直到最后一次检视
   *[false] 最多
}：{ $blocks } 个区组，每个约 { $each } 秒，共 { $all }；预算 { $budget }
explain-connections = { $connections } 个连接
explain-users = 同时最多 { $users } 个用户
explain-connections-up-to = { $connections } 个连接，没有空闲连接时至多增加到 { $most } 个
explain-dropped = 没有空闲连接时丢弃请求
explain-sent-together = { $coalesce } 之内的请求一起发送
