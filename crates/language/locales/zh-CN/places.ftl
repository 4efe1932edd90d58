places-agents = 代理
places-network = 网络
places-agents-on = { $agents } 个代理，位于 { $hosts }{ $more ->
    [0] {""}
   *[other] {" "}以及另外 { $more } 台
}
places-small-exchange = 与空服务器完成一次小交互用时 { $p50 }（p50）、{ $p99 }（p99）
places-large-answers = 64 KiB 应答的传输速率为 { $megabits }
places-not-measured = 未测得：{ $why }
there-carried = 随实验传送：{ $file }，{ $bytes } 字节
there-hidden = { $file } 是实验引用的隐藏文件：隐藏文件不会传到其他机器；如可公开，请改名
there-link = { $file } 是链接，或在链接之后：链接所指内容不会传到其他机器；请放置文件本身
there-manifest-secrets = 令牌、这些文件以及对实验的设置（{ $settings } 项）都在清单的 Secret 中，读到清单者皆可见：请像密码一样保管
there-no-record = 别处的运行已结束，但没有带回记录
there-waits = 服务器所在的机器在 { $at } 等待 { $agents } 个代理
there-waits-in-pod = 协调者在 { $at } 等待它的代理
there-agent-ended = { $agent } 已结束（{ $how }）
there-in-vain = 运行已终止：不会再有结果
agents-waited-for = 在 { $at } 等待 { $agents } 个代理
agents-clock = 代理 { $index }（{ $host } { $address }）：其时钟与本机相差 { $ahead }，误差 ± { $within }
agents-dealt = 代理 { $index }，共 { $agents } 个，位于 { $at }
agents-goodbye = 协调者在 { $loads } 次负载之后结束会话
agents-went-on = { $lost }；其余代理继续运行，不承担它的份额
agents-numbered = 代理 { $index }（{ $host } { $address }）
agents-unnumbered = 一个代理（{ $host } { $address }）
agents-joined = { $who } 已加入，{ $came }/{ $of }
agents-left = { $who } 已离开：{ $why }
agents-refused = { $who } 被拒绝：{ $why }
