//! The protocol that the first bytes of a peer show, whatever it was asked.

/// Protocol of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// An alert or a handshake; or an answer in plain HTTP that asks for TLS.
    Tls,
    Http1,
    /// A frame with which a server of HTTP/2 begins, or ends (RFC 9113 sections 6.5 and 6.8).
    Http2,
    /// Another one, by its name.
    Other(&'static str),
}

/// Beginnings that belong to one protocol alone.
const BEGINNINGS: [(&[u8], Spoken); 14] = [
    (b"HTTP/", Spoken::Http1),
    (b"SSH-", Spoken::Other("SSH")),
    (b"+OK", Spoken::Other("POP3")),
    (b"* OK", Spoken::Other("IMAP")),
    (b"-ERR ", Spoken::Other("Redis")),
    (b"-NOAUTH ", Spoken::Other("Redis")),
    (b"-DENIED ", Spoken::Other("Redis")),
    (b"ERROR\r\n", Spoken::Other("memcached")),
    (b"AMQP", Spoken::Other("AMQP")),
    (b"RFB 00", Spoken::Other("VNC")),
    (b"RTSP/", Spoken::Other("RTSP")),
    (b"SIP/2.0", Spoken::Other("SIP")),
    (b"@RSYNCD:", Spoken::Other("rsync")),
    // AJP from a container to its web server.
    (b"AB\0", Spoken::Other("AJP")),
];

/// What servers say with status 400 in plain text where TLS is wanted: nginx, Go, Tomcat, Apache.
const WANT_TLS: [&[u8]; 4] = [
    b"plain HTTP request was sent to HTTPS port",
    b"HTTP request to an HTTPS server",
    b"combination of host and port requires TLS",
    b"speaking plain HTTP to an SSL-enabled server port",
];

/// The protocol that these first bytes show; `None` where they show none for sure.
pub fn spoken(first: &[u8]) -> Option<Spoken> {
    let has = |text: &&[u8]| first.windows(text.len()).any(|part| part == *text);
    match *first {
        [0x15 | 0x16, 3, 0..=4, ..] => return Some(Spoken::Tls),
        // Reply 220 greets in both; most servers say which.
        [b'2', b'2', b'0', b' ' | b'-', ..] if has(&&b"SMTP"[..]) => return Some(Spoken::Other("SMTP")),
        [b'2', b'2', b'0', b' ' | b'-', ..] if has(&&b"FTP"[..]) => return Some(Spoken::Other("FTP")),
        [b'2', b'2', b'0', b' ' | b'-', ..] => return Some(Spoken::Other("SMTP / FTP")),
        // The greeting of protocol 10 begins with the version of the server; an error comes in its place.
        [_, _, 0, 0, 10, b'1'..=b'9', ..] | [_, _, 0, 0, 0xff, _, 4, ..] => {
            return Some(Spoken::Other("MySQL"));
        }
        // An error with its severity, after 32 bits of length.
        [b'E', 0, 0, 0 | 1, _, b'S', ..] => return Some(Spoken::Other("PostgreSQL")),
        _ if is_http2(first) => return Some(Spoken::Http2),
        _ => {}
    }
    let known = BEGINNINGS.iter().find(|(beginning, _)| first.starts_with(beginning));
    match known?.1 {
        Spoken::Http1 if first.get(8..12) == Some(b" 400") && WANT_TLS.iter().any(has) => Some(Spoken::Tls),
        spoken => Some(spoken),
    }
}

/// True for SETTINGS, six bytes each, or GOAWAY, both of the connection itself (stream 0).
fn is_http2(first: &[u8]) -> bool {
    let [high, middle, low, kind, flags, 0, 0, 0, 0, ..] = *first else { return false };
    let length = u32::from_be_bytes([0, high, middle, low]);
    flags == 0 && ((kind == 4 && length.is_multiple_of(6) && length <= 0x4000) || (kind == 7 && length >= 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As servers of that kind begin, cut short.
    const CAPTURED: [(&str, &[u8], Option<Spoken>); 26] = [
        ("OpenSSL, alert 70 to plain text", b"\x15\x03\x01\x00\x02\x02\x46", Some(Spoken::Tls)),
        ("Go, alert 22", b"\x15\x03\x01\x00\x02\x02\x16", Some(Spoken::Tls)),
        ("a ServerHello", b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03", Some(Spoken::Tls)),
        (
            "nginx",
            b"HTTP/1.1 400 Bad Request\r\nServer: nginx/1.24.0\r\n\r\n<title>400 The plain HTTP request was sent to HTTPS port</title>",
            Some(Spoken::Tls),
        ),
        (
            "Go",
            b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
            Some(Spoken::Tls),
        ),
        (
            "Tomcat",
            b"HTTP/1.1 400 \r\nConnection: close\r\n\r\nBad Request\r\nThis combination of host and port requires TLS.\r\n",
            Some(Spoken::Tls),
        ),
        (
            "Apache",
            b"HTTP/1.1 400 Bad Request\r\n\r\nReason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
            Some(Spoken::Tls),
        ),
        ("a page about it", b"HTTP/1.1 200 OK\r\n\r\nplain HTTP request was sent to HTTPS port", Some(Spoken::Http1)),
        ("another 400", b"HTTP/1.1 400 Bad Request\r\n\r\nno Host", Some(Spoken::Http1)),
        (
            "SETTINGS of three values",
            b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\x10\0\0\0\x06\0\0\x20\0",
            Some(Spoken::Http2),
        ),
        ("empty SETTINGS of Node and of gRPC in Go", b"\0\0\0\x04\0\0\0\0\0", Some(Spoken::Http2)),
        ("GOAWAY of Netty", b"\0\0\x2e\x07\0\0\0\0\0\x7f\xff\xff\xff\0\0\0\x01", Some(Spoken::Http2)),
        ("a frame of a stream", b"\0\0\x06\x04\0\0\0\0\x01\0\0\0\0\0\0", None),
        ("SETTINGS of no whole number", b"\0\0\x07\x04\0\0\0\0\0\0\0\0\0\0\0\0", None),
        ("OpenSSH", b"SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13\r\n", Some(Spoken::Other("SSH"))),
        ("Postfix", b"220 mail.test ESMTP Postfix\r\n", Some(Spoken::Other("SMTP"))),
        ("vsftpd", b"220 (vsFTPd 3.0.5)\r\n", Some(Spoken::Other("FTP"))),
        ("one of both", b"220 welcome\r\n", Some(Spoken::Other("SMTP / FTP"))),
        ("MySQL 8", b"\x4a\0\0\0\x0a8.0.36\0\x0b\0\0\0", Some(Spoken::Other("MySQL"))),
        ("MariaDB, error 1130", b"\x45\0\0\0\xff\x6a\x04Host '10.0.0.9'", Some(Spoken::Other("MySQL"))),
        ("Redis", b"-ERR wrong number of arguments for 'get' command\r\n", Some(Spoken::Other("Redis"))),
        ("PostgreSQL", b"E\0\0\0\x8bSFATAL\0VFATAL\0C0A000\0", Some(Spoken::Other("PostgreSQL"))),
        ("Dovecot", b"* OK [CAPABILITY IMAP4rev1] ready.\r\n", Some(Spoken::Other("IMAP"))),
        ("RabbitMQ", b"AMQP\0\0\x09\x01", Some(Spoken::Other("AMQP"))),
        ("nothing", b"", None),
        ("anything", b"hello, world", None),
    ];

    #[test]
    fn peers_are_known_by_what_they_sent_first() {
        for (who, first, expected) in CAPTURED {
            assert_eq!(spoken(first), expected, "{who}");
        }
    }

    #[test]
    fn a_beginning_never_shows_another_protocol_than_the_whole() {
        for (who, first, expected) in CAPTURED {
            for end in 0..first.len() {
                let seen = spoken(&first[..end]);
                // The reason of a refusal, or the greeter's name, may not have come yet.
                let early = [Some(Spoken::Http1), Some(Spoken::Other("SMTP / FTP")), None];
                assert!(seen == expected || early.contains(&seen), "{who} after {end} bytes: {seen:?}");
            }
        }
    }
}
