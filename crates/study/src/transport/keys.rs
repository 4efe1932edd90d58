//! `tls:` and `proxy:` of a subject.

use super::super::field::{Field, Map};
use super::super::keys::{Kind, WORD, keys, kinds};
use super::super::problem::text_or_variable;
use super::super::protocol::{SPEAKS, Speaks, check_speaks};
use super::super::suggest::not_one_of;
use super::proxy::{is_direct, no_proxy_variable};
use super::{Key, Passage, Password, ProxyOptions, TlsOptions, TlsVersion, proxy};
use proofload_facts::{Expected, Mistake};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

keys! {
    /// TLS, proxy and protocol of connections.
    TRANSPORT {
        /// The protocol, where it is not HTTP/1.1.
        optional speaks: Kind::Map(&[&SPEAKS]),
        /// TLS; without it https addresses trust the system's authorities, as `{}` does.
        optional tls: Kind::Map(&[&TLS]),
        /// An HTTP proxy.
        optional proxy: PROXY,
    }

    /// Options of TLS with a server.
    TLS {
        /// File (PEM) of the authorities to trust instead of the system's, relative to the study.
        optional ca: WORD,
        /// File of a certificate to present to a server that requests one: PEM, then its chain; or PKCS#12, with its key.
        optional cert: WORD,
        /// File (PEM) of its key.
        optional key: WORD,
        /// Password of the encrypted key, or of the PKCS#12 file; `${env.NAME}` keeps it out of the study.
        optional password: WORD,
        /// Skip the check of the server's certificate; the result reports it.
        optional insecure: Kind::Switch,
        /// Use only this version; both by default.
        optional version: Kind::Text(r"^1\.[23]$"),
        /// Protocol to offer.
        optional alpn: Kind::Text(r"^(http/1\.1|none)$"),
        /// Name of the server, for its certificate and the handshake; the host of its address without, and
        /// `localhost` for a command.
        optional server_name: Kind::Text("^[A-Za-z0-9._:-]+$"),
        /// Lets new connections resume sessions of earlier ones; true by default.
        optional resumption: Kind::Switch,
    }

    /// A proxy, and what it is used for.
    PROXY_TERMS {
        /// Its address, with the port.
        required url: PROXY_URL,
        /// The user.
        optional user: WORD,
        /// The password; `${env.NAME}` keeps it out of the file.
        optional password: WORD,
        /// Ask for a tunnel (CONNECT) for plain HTTP too, instead of sending it requests in absolute form.
        optional tunnel: Kind::Switch,
        /// Hosts that are reached without it: names with those below them, addresses, networks such as 10.0.0.0/8, or *,
        /// separated by commas. Without this key the variable NO_PROXY of the environment names them.
        optional no_proxy: Kind::Text(""),
    }
}

kinds! {
    /// An HTTP proxy.
    PROXY = Kind::Either(&[&PROXY_URL, &Kind::Map(&[&PROXY_TERMS])]);
}

const PROXY_URL: Kind = Kind::Text("^[hH][tT][tT][pP]://");

/// TLS, proxy and protocol of a subject's connections. `host` is that of its address and `secure` is true for TLS; a
/// subject without an address uses TLS when it has the key.
pub(in super::super) fn check_transport(
    map: &Map<'_>,
    directory: &Path,
    host: &str,
    secure: Option<bool>,
    protocol: Option<&str>,
) -> Option<Passage> {
    let speaks = match (map.optional("speaks"), protocol) {
        (Some(field), protocol) => check_speaks(&field, protocol)?,
        (None, Some(protocol)) => of_protocol(map, protocol)?,
        (None, None) => Speaks::Http,
    };
    let tls = map.optional("tls");
    if let (Some(field), Speaks::Ajp(_) | Speaks::Dubbo(_) | Speaks::Rmi(..)) = (&tls, &speaks) {
        field.problem(Mistake::NoMeaningBeside { beside: speaks.name().to_string() });
        return None;
    }
    let proxy = map.optional("proxy").map(|field| check_proxy(&field));
    if let (Some(field), Some(false)) = (&tls, secure) {
        field.problem(Mistake::NoTls);
        return None;
    }
    let options = tls.as_ref().map(|field| check_tls(field, directory));
    let secured = secure.unwrap_or(tls.is_some());
    let (options, proxy) = (
        options.map_or(Some(TlsOptions::default()), |options| options)?,
        proxy.map_or(Some(None), |proxy| proxy.map(Some))?,
    );
    if !secured {
        return Some(Passage::new(None, proxy, host, speaks));
    }
    match options.read() {
        Ok(material) => Some(Passage::new(Some((&options, &material)), proxy, host, speaks)),
        Err(mistakes) => {
            let within = tls.as_ref().and_then(|field| field.map("tls: { ca: ca.pem }"));
            for (key, mistake) in mistakes {
                let field = within.as_ref().and_then(|map| map.optional(key.in_study()));
                field.or_else(|| tls.clone()).unwrap_or_else(|| map.field.clone()).problem(mistake);
            }
            None
        }
    }
}

/// Protocol where only its name is given.
fn of_protocol(map: &Map<'_>, protocol: &str) -> Option<Speaks> {
    let texts = BTreeMap::from([("protocol".to_string(), protocol.to_string())]);
    Speaks::from_texts(&texts).map_err(|mistake| map.field.problem(mistake)).ok()
}

fn check_tls(field: &Field<'_>, directory: &Path) -> Option<TlsOptions> {
    let map = field.map("tls: { ca: ca.pem }, tls: {}")?;
    let mut whole = true;
    let mut file = |key: Key| -> Option<PathBuf> {
        let field = map.optional(key.in_study())?;
        let path = field.text("ca.pem").map(|text| directory.join(text));
        whole &= path.is_some();
        path.iter().for_each(|path| field.sink.names(path));
        path
    };
    let (ca, certificate, key) = (file(Key::Ca), file(Key::Certificate), file(Key::Key));
    let mut flag = |key: Key, default: bool| {
        let read = map.optional(key.in_study()).map_or(Some(default), |field| field.boolean());
        whole &= read.is_some();
        read.unwrap_or(default)
    };
    let (insecure, resumption) = (flag(Key::Insecure, false), flag(Key::Resumption, true));
    let mut word = |key: Key, remedy: &str| {
        let field = map.optional(key.in_study())?;
        let text = field.text(remedy);
        whole &= text.is_some();
        text.map(|text| (field, text))
    };
    let server_name = word(Key::ServerName, "example.org").map(|(_, name)| name.to_string());
    let alpn = word(Key::Alpn, "http/1.1, none");
    let version = word(Key::Version, "\"1.2\", \"1.3\"");
    let password = word(Key::Password, "\"${env.NAME}\"");
    map.close();
    let password = password.map(|(field, text)| field.take(text_or_variable(text)).map(Password::new));
    let no_alpn = alpn.map(|(field, text)| field.take(alpn_of(text)));
    let version = version.map(|(field, text)| field.take(version_of(text)));
    let told = no_alpn == Some(None) || version == Some(None) || password == Some(None);
    (whole && !told).then(|| TlsOptions {
        ca,
        certificate,
        key,
        password: password.flatten(),
        insecure,
        version: version.flatten(),
        no_alpn: no_alpn.flatten().unwrap_or(false),
        server_name,
        no_resumption: !resumption,
    })
}

/// The protocol to offer (ALPN): true for none.
fn alpn_of(text: &str) -> Result<bool, Mistake> {
    match text {
        super::ALPN => Ok(false),
        "none" => Ok(true),
        other => Err(not_one_of(other, &["http/1.1", "none"])),
    }
}

/// The version of TLS.
fn version_of(text: &str) -> Result<TlsVersion, Mistake> {
    match text {
        "1.2" => Ok(TlsVersion::V1_2),
        "1.3" => Ok(TlsVersion::V1_3),
        other => Err(not_one_of(other, &["1.2", "1.3"])),
    }
}

/// The hosts that are not reached through a proxy.
fn no_proxy_of(field: &Field<'_>) -> String {
    let own = field.is_map().then(|| field.map("")?.optional("no_proxy")).flatten();
    own.map_or_else(no_proxy_variable, |field| field.written().unwrap_or_default().to_string())
}

/// True if a server is reached through the proxy that the subject names, if any.
pub(in super::super) fn is_proxied(map: &Map<'_>, host: &str) -> bool {
    map.optional("proxy").is_some_and(|field| !is_direct(&no_proxy_of(&field), host))
}

/// `http://host:port`, or a map with the credentials beside it.
fn check_proxy(field: &Field<'_>) -> Option<ProxyOptions> {
    const FORM: &str =
        "proxy: http://host:port, proxy: { url: http://host:port, user: me, password: \"${env.NAME}\" }";
    let no_proxy = no_proxy_of(field);
    let read = |field: &Field<'_>| {
        let text = field.text(FORM)?;
        Some(ProxyOptions { no_proxy: no_proxy.clone(), ..field.take(proxy(text))? })
    };
    if field.written().is_some() {
        return read(field);
    }
    let map = field.map(FORM)?;
    let found = map.required("url", FORM).and_then(|field| read(&field));
    let user = map.optional("user").map(|field| field.text("me"));
    let password =
        map.optional("password").map(|field| field.take(text_or_variable(field.text("\"${env.NAME}\"")?)));
    let tunnel = map.optional("tunnel").map_or(Some(false), |field| field.boolean());
    map.close();
    if let Some(field) = map.optional("no_proxy").filter(|field| field.written().is_none()) {
        field.wrong(Expected::Text, "localhost,10.0.0.0/8");
        return None;
    }
    let mut found = ProxyOptions { tunnel: tunnel?, ..found? };
    match (user, password) {
        (None, None) => {}
        (Some(user), Some(password)) => found.user = Some((user?.to_string(), password?)),
        _ => {
            field.problem(Mistake::not(field.found(), Expected::User, FORM));
            return None;
        }
    }
    Some(found)
}
