handshakes = TLS 握手
tls = TLS
proxy = 代理服务器
proxy-forwards = { $proxy }，不用隧道
proxy-not-used = 无：服务器属于 no_proxy（{ $no_proxy }）
negotiated-no-alpn = 无 ALPN
negotiated-tls = TLS { $version } { $cipher_suite } { $alpn }
addresses = 地址
address-columns = {" "}| 地址 | 连接 | 拒绝 | 无响应 | 失败 | 交互
address-connections = { $count } 个连接
address-refused = 拒绝 { $count } 次
address-timed-out = 无响应 { $count } 次
address-failed = 失败 { $count } 次
handshake-columns = {" "}| 完整握手 | p50 | p99 | 最大 | 恢复会话 | p50 | p99 | 最大 | 协商结果
tls-with = { $versions }，服务器名 { $server_name }，{ $trusts ->
    [none] 未经验证
   *[other] 信任 { $trusts }
}{ $client_certificate ->
    [true] ，带客户端证书
   *[false] {""}
}{ $resumption ->
    [true] {""}
   *[false] ，从不恢复会话
}
