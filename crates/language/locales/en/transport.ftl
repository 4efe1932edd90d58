handshakes = TLS handshakes
tls = TLS
proxy = proxy
proxy-forwards = { $proxy }, without a tunnel
proxy-not-used = none: the server is in no_proxy ({ $no_proxy })
negotiated-no-alpn = no ALPN
negotiated-tls = TLS { $version } { $cipher_suite } { $alpn }
addresses = addresses
address-columns = {" "}| address | connections | refused | no answer | failed | exchanges
address-connections = { $n ->
    [one] 1 connection
   *[other] { $count } connections
}
address-refused = { $n ->
    [one] refused once
   *[other] refused { $count } times
}
address-timed-out = { $n ->
    [one] no answer once
   *[other] no answer { $count } times
}
address-failed = { $n ->
    [one] failed once
   *[other] failed { $count } times
}
handshake-columns = {" "}| full | p50 | p99 | max | resumed | p50 | p99 | max | settled on
tls-with = { $versions } with { $server_name }, { $trusts ->
    [none] NOT CHECKED
   *[other] trusts { $trusts }
}{ $client_certificate ->
    [true] , with a client certificate
   *[false] {""}
}{ $resumption ->
    [true] {""}
   *[false] , sessions never resumed
}
