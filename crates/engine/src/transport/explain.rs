//! Failures of a connection's transport, in sentences.

use super::tunnel::TunnelFault;
use crate::Target;
use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, PeerIncompatible};
use std::fmt::Write;

/// Step that a connection was at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectStage {
    /// The proxy was asked for a tunnel.
    Tunnel,
    /// The TLS handshake was under way.
    Handshake,
    Established,
}

#[derive(Debug)]
pub(super) enum Why {
    Ended,
    Reset,
    /// The kernel refused to send.
    Unsendable,
    Late,
    Tunnel(TunnelFault),
    Tls(Error),
}

/// Describes what happened to a connection to that target.
pub(super) fn explain(target: &Target, step: ConnectStage, why: &Why) -> String {
    let proxy = target.transport.proxy.as_ref().map_or("", |proxy| proxy.authority.as_str());
    let server = target.transport.tls.as_ref().map_or("", |tls| tls.server_name.as_str());
    let address = &target.addresses.first;
    match (step, why) {
        (_, Why::Tunnel(fault)) => tunnel(target, fault),
        (_, Why::Tls(error)) => tls(server, step, error),
        (ConnectStage::Tunnel, Why::Ended) => {
            format!("the proxy {address} closed the connection when asked for {proxy}")
        }
        (ConnectStage::Tunnel, Why::Reset) => {
            format!("the proxy {address} reset the connection when asked for {proxy}")
        }
        (ConnectStage::Tunnel, Why::Late) => {
            format!("the proxy {address} did not answer in time when asked for {proxy}")
        }
        (ConnectStage::Tunnel, Why::Unsendable) => {
            format!("the kernel refused to ask the proxy {address} for {proxy}")
        }
        (ConnectStage::Handshake, Why::Ended) => {
            format!("{server} closed the connection within the TLS handshake")
        }
        (ConnectStage::Handshake, Why::Reset) => {
            format!("{server} reset the connection within the TLS handshake")
        }
        (ConnectStage::Handshake, Why::Late) => {
            format!("the TLS handshake with {server} was not done in time")
        }
        (ConnectStage::Handshake, Why::Unsendable) => {
            format!("the kernel refused to send the TLS handshake with {server}")
        }
        (ConnectStage::Established, _) => format!("{server} ended TLS without saying so (close_notify)"),
    }
}

fn tunnel(target: &Target, fault: &TunnelFault) -> String {
    let proxy = target.transport.proxy.as_ref();
    let (address, asked) = (&target.addresses.first, proxy.map_or("", |proxy| proxy.authority.as_str()));
    match fault {
        TunnelFault::Code(407) if proxy.is_some_and(|proxy| proxy.authorization.is_some()) => {
            format!(
                "the proxy {address} answered 407 to CONNECT {asked}: it does not take this user and password"
            )
        }
        TunnelFault::Code(407) => {
            format!(
                "the proxy {address} answered 407 to CONNECT {asked}: it wants a user and a password (--proxy-user)"
            )
        }
        TunnelFault::Code(code) => {
            let hint = match code {
                403 | 405 => ": it allows no tunnel to there; many allow port 443 alone",
                502..=504 => ": it does not reach that server",
                _ => "",
            };
            format!("the proxy {address} answered {code} to CONNECT {asked}{hint}")
        }
        TunnelFault::Garbage(begin) => {
            let shown = begin.escape_ascii();
            format!("{address} is no HTTP proxy: its answer to CONNECT {asked} begins with \"{shown}\"")
        }
        TunnelFault::Endless => format!(
            "the proxy {address} answers CONNECT {asked} with a head of more than 1 MiB, which is not read"
        ),
    }
}

fn tls(server: &str, step: ConnectStage, error: &Error) -> String {
    match error {
        Error::InvalidCertificate(fault) => certificate(server, fault),
        Error::AlertReceived(alert) => refused(server, step, *alert),
        // The first bytes of the answer are not a TLS record.
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType
            | InvalidMessage::UnknownProtocolVersion
            | InvalidMessage::MessageTooLarge
            | InvalidMessage::InvalidEmptyPayload,
        ) if step == ConnectStage::Handshake => {
            format!("{server} does not speak TLS at this port: its answer is no TLS")
        }
        Error::PeerIncompatible(
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
            | PeerIncompatible::Tls12NotOffered
            | PeerIncompatible::Tls12NotOfferedOrEnabled,
        ) => format!("{server} speaks no version of TLS that is allowed here"),
        Error::DecryptError => format!("{server} sent a TLS record that cannot be decrypted"),
        other if step == ConnectStage::Established => format!("{server} broke TLS: {other}"),
        other => format!("the TLS handshake with {server} failed: {other}"),
    }
}

fn certificate(server: &str, fault: &CertificateError) -> String {
    let of = format!("the certificate of {server}");
    match fault {
        CertificateError::UnknownIssuer => format!(
            "{of} is signed by an unknown authority: name the authority with --cacert, or take any with --insecure"
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => format!("{of} has expired"),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            format!("{of} is not valid yet; is the clock of this machine right?")
        }
        CertificateError::NotValidForNameContext { presented, .. } if !presented.is_empty() => {
            let mut sentence = format!("{of} is not its own: it is for");
            for (at, name) in presented.iter().take(4).enumerate() {
                let _infallible = write!(sentence, "{} {}", if at > 0 { "," } else { "" }, plain_name(name));
            }
            sentence
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("{of} is not for that name")
        }
        CertificateError::Revoked => format!("{of} was revoked"),
        CertificateError::BadSignature => {
            format!(
                "{of} does not bear the signature that it claims: it, or its authority, may only have the name of one \
                 that is trusted, for authorities of the same name can be two; name the right one with --cacert, or \
                 take any with --insecure"
            )
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            format!("{of} is not for servers")
        }
        CertificateError::BadEncoding => format!("{of} cannot be read"),
        other => format!("{of} is not valid: {other}"),
    }
}

/// A name as webpki shows it, `DnsName("localhost")`, without the wrapping.
fn plain_name(shown: &str) -> &str {
    match (shown.find('"'), shown.rfind('"')) {
        (Some(begin), Some(end)) if begin < end => &shown[begin + 1..end],
        _ => shown.find('(').map_or(shown, |at| shown[at + 1..].trim_end_matches(')')),
    }
}

fn refused(server: &str, step: ConnectStage, alert: AlertDescription) -> String {
    let what = match alert {
        AlertDescription::CertificateRequired => "it wants a client certificate",
        AlertDescription::UnknownCA => "it does not know the authority of the client certificate",
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::AccessDenied => "it does not take the client certificate",
        AlertDescription::CertificateExpired => "the client certificate has expired",
        AlertDescription::CertificateRevoked => "the client certificate was revoked",
        AlertDescription::ProtocolVersion => "it speaks no version of TLS that is allowed here",
        AlertDescription::NoApplicationProtocol => "it speaks none of the protocols offered (ALPN)",
        AlertDescription::UnrecognisedName => "it knows no server of that name (SNI)",
        AlertDescription::HandshakeFailure => {
            "no way to encrypt is common to both sides, or it wants a client certificate"
        }
        _ if step == ConnectStage::Established => "it ended the connection",
        _ => "it ended the handshake",
    };
    let (name, number) = (alert.as_str().unwrap_or("unknown"), u8::from(alert));
    format!("{server} refused by a TLS alert: {what} (alert {number}, {name})")
}
