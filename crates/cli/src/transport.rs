//! Flags of TLS and proxies, checked; the files are read with the addresses.

use crate::args::TransportArgs;
use crate::mistakes::{Mistakes, secret};
use proofload_study as study;
use proofload_study::transport::{alpn_of, version_of};
use proofload_study::{AjpAttributes, TlsOptions, TransportOptions};

/// What the flags ask for.
pub fn options(args: &TransportArgs, mistakes: &mut Mistakes) -> TransportOptions {
    let version = args.tls_version.as_deref();
    let alpn = args.alpn.as_deref().and_then(|text| mistakes.keep("--alpn", alpn_of(text)));
    let tls = TlsOptions {
        ca: args.cacert.clone(),
        certificate: args.cert.clone(),
        key: args.key.clone(),
        insecure: args.insecure,
        version: version.and_then(|text| mistakes.keep("--tls-version", version_of(text))),
        no_alpn: alpn.unwrap_or(false),
        server_name: args.sni.clone(),
        no_resumption: args.no_resumption,
    };
    let mut proxy = args.proxy.as_deref().and_then(|text| mistakes.keep("--proxy", study::proxy(text)));
    if let (Some(proxy), Some(text)) = (&mut proxy, &args.proxy_user) {
        match text.split_once(':') {
            Some((user, password)) => {
                let password = mistakes.keep("--proxy-user", secret(password));
                proxy.user = password.map(|password| (user.to_owned(), password));
            }
            None => mistakes.add("--proxy-user: has no colon; write user:password or user:@FILE"),
        }
    }
    TransportOptions { ajp: ajp(args, mistakes), tls, proxy }
}

/// What the flags tell containers; `None` without such flags.
fn ajp(args: &TransportArgs, mistakes: &mut Mistakes) -> Option<AjpAttributes> {
    if args.ajp_secret.is_none() && args.ajp_packet_size.is_none() && args.ajp_attribute.is_empty() {
        return None;
    }
    let mut attributes = AjpAttributes::default();
    attributes.secret =
        args.ajp_secret.as_deref().and_then(|text| mistakes.keep("--ajp-secret", secret(text)));
    attributes.packet_bytes = args.ajp_packet_size.unwrap_or(attributes.packet_bytes);
    for text in &args.ajp_attribute {
        match text.split_once('=') {
            Some((name, value)) => attributes.request.push((name.to_owned(), value.to_owned())),
            None => mistakes.add("--ajp-attribute: has no =; write name=value"),
        }
    }
    Some(attributes)
}

/// Says aloud that nobody is checked, whatever else is quiet.
pub fn warn_insecure(who: &str) {
    eprintln!("{}", proofload_report::escape::terminal(&proofload_report::insecure(who)));
}
