//! Flags of TLS and proxies, checked; the files are read with the addresses.

use crate::args::TransportArgs;
use crate::mistakes::{Mistakes, no_password, secret};
use proofload_facts::Limit;
use proofload_language::facts::told;
use proofload_study as study;
use proofload_study::not_one_of;
use proofload_study::transport::{alpn_of, version_of};
use proofload_study::{SPEAKS_TEXTS, TlsOptions, TransportOptions};
use std::collections::BTreeMap;

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
            None => mistakes.add("--proxy-user", no_password()),
        }
    }
    TransportOptions { speaks: speaks(args, mistakes), tls, proxy }
}

/// What is said of the protocol.
fn speaks(args: &TransportArgs, mistakes: &mut Mistakes) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for text in &args.speaks {
        match text.split_once('=') {
            Some(("secret", value)) => {
                let value = mistakes.keep("--speaks secret", secret(value));
                texts.extend(value.map(|value| ("secret".to_owned(), value)));
            }
            Some((key, value)) if SPEAKS_TEXTS.contains(&key) => {
                texts.insert(key.to_owned(), value.to_owned());
            }
            _ => mistakes.add("--speaks", not_one_of(text, &SPEAKS_TEXTS.map(|key| format!("{key}=…")))),
        }
    }
    texts
}

/// Says aloud that nobody is checked, whatever else is quiet.
pub fn warn_insecure(who: &str) {
    crate::around::error_line(told(&Limit::TlsUnchecked { variant: who.to_string() }));
}
