handshakes = TLS 握手
tls = TLS
proxy = 代理
negotiated-no-alpn = 无 ALPN
negotiated-tls = TLS { $version } { $cipher_suite } { $alpn }
handshake-columns = {" "}| 完整 | p50 | p99 | 最大 | 恢复 | p50 | p99 | 最大 | 协商结果
tls-with = { $versions }，对方 { $server_name }，{ $trusts ->
    [none] 未经验证
   *[other] 信任 { $trusts }
}{ $client_certificate ->
    [true] ，带客户端证书
   *[false] {""}
}{ $resumption ->
    [true] {""}
   *[false] ，从不恢复会话
}
