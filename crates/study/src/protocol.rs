//! Protocol of a server, and attributes that it needs beside the request.

use super::field::Field;
use super::keys::{HEADER, Kind, WORD, keys};
use super::problem::{shown, text_or_variable};
use super::suggest::not_one_of;
use proofload_facts::{Expected, Mistake};
use proofload_wire::ajp::{Attributes, PACKET_BYTES_MAX, PACKET_BYTES_MIN};
use proofload_wire::dubbo::{self, Serialization};
use proofload_wire::rmi::ObjectId;
use proofload_wire::{Call, Protocol, hessian, json};
use std::collections::BTreeMap;

/// Protocol of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Speaks {
    /// HTTP/1.1.
    #[default]
    Http,
    /// AJP/1.3, with the attributes that a web server would add.
    Ajp(Box<Attributes>),
    /// Dubbo.
    Dubbo(Box<dubbo::Options>),
    /// Hessian over HTTP, at this path.
    Hessian(hessian::Version, String),
    /// JSON over HTTP, at this path.
    Json(json::Body, String),
    /// Java RMI: the name in the registry and, once that was looked up, the object.
    Rmi(String, Option<ObjectId>),
}

keys! {
    /// Protocol, where that is not HTTP/1.1, and attributes that the server needs.
    SPEAKS {
        /// `http`, `ajp`, `dubbo`, `hessian` (2.0), `hessian1`, `json`, `jsonrpc` or `rmi`; the scheme of an address
        /// gives it.
        optional protocol: Kind::Text("^(http|ajp|dubbo|hessian1?|json|jsonrpc|rmi)$"),
        /// AJP: the secret that the connector demands (`secret`); `${env.NAME}` keeps it out of the file.
        optional secret: WORD,
        /// AJP: longest packet in bytes, which must be the connector's too (`packetSize`); 8192 by default.
        optional packet_size: Kind::Integer(PACKET_BYTES_MIN as u64, PACKET_BYTES_MAX as u64),
        /// AJP: attributes of the request, as the connector allows them.
        optional attributes: Kind::Names(&HEADER, 1, 64),
        /// AJP: tells the server that the client came by TLS.
        optional is_ssl: Kind::Switch,
        /// AJP: the user whom the web server has authenticated.
        optional remote_user: WORD,
        /// AJP: the route of the container among several.
        optional route: WORD,
        /// Dubbo: format of calls, hessian2 by default.
        optional serialization: Kind::Text("^(hessian2|dubbo|java|fastjson|fastjson2)$"),
        /// Dubbo: request no answer; a call ends when it was sent.
        optional one_way: Kind::Switch,
        /// Hessian and JSON: the path that calls go to, in which `{interface}` and `{method}` are filled in;
        /// `/{interface}`, with JSON `/{method}`, without.
        optional path: Kind::Text("^/[!-~]*$"),
        /// RMI: the name in the registry, which must be given.
        optional name: WORD,
    }
}

/// Names of the protocols.
const PROTOCOLS: [&str; 8] = ["http", "ajp", "dubbo", "hessian", "hessian1", "json", "jsonrpc", "rmi"];

/// The keys of a catalogue's `speaks:`.
pub const SPEAKS_TEXTS: [&str; 7] =
    ["protocol", "secret", "packet_size", "serialization", "one_way", "path", "name"];

impl Speaks {
    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        match self {
            Speaks::Http | Speaks::Json(json::Body::Arguments | json::Body::Argument, _) => Protocol::Http1,
            Speaks::Ajp(_) => Protocol::Ajp,
            Speaks::Dubbo(_) => Protocol::Dubbo,
            Speaks::Hessian(..) => Protocol::Hessian,
            Speaks::Json(json::Body::Rpc, _) => Protocol::JsonRpc,
            Speaks::Rmi(..) => Protocol::Rmi,
        }
    }

    /// Its name, as in an address and in `protocol:`.
    pub fn name(&self) -> &'static str {
        match self {
            Speaks::Http => "http",
            Speaks::Ajp(_) => "ajp",
            Speaks::Dubbo(_) => "dubbo",
            Speaks::Hessian(hessian::Version::V1, _) => "hessian1",
            Speaks::Hessian(hessian::Version::V2, _) => "hessian",
            Speaks::Json(json::Body::Rpc, _) => "jsonrpc",
            Speaks::Json(..) => "json",
            Speaks::Rmi(..) => "rmi",
        }
    }

    /// The scheme of its addresses.
    pub fn scheme(&self) -> &'static str {
        match self.name() {
            "hessian" => "hessian+http",
            "hessian1" => "hessian1+http",
            "json" => "json+http",
            "jsonrpc" => "jsonrpc+http",
            name => name,
        }
    }

    /// For the record; empty for HTTP.
    pub fn recorded(&self) -> String {
        match self {
            Speaks::Http => String::new(),
            Speaks::Ajp(_) => "AJP/1.3".to_string(),
            Speaks::Dubbo(options) if options.one_way => {
                format!("Dubbo, {}, one-way", options.serialization.name())
            }
            Speaks::Dubbo(options) => format!("Dubbo, {}", options.serialization.name()),
            Speaks::Hessian(hessian::Version::V1, path) => format!("Hessian 1.0 at {path}"),
            Speaks::Hessian(hessian::Version::V2, path) => format!("Hessian 2.0 at {path}"),
            Speaks::Json(json::Body::Rpc, path) => format!("JSON-RPC 2.0 at {path}"),
            Speaks::Json(_, path) => format!("JSON at {path}"),
            Speaks::Rmi(name, _) => format!("RMI, {name}"),
        }
    }

    /// True if HTTP carries it.
    pub fn is_http(&self) -> bool {
        matches!(self.protocol(), Protocol::Http1 | Protocol::Hessian | Protocol::JsonRpc)
    }

    /// True if it carries calls, rather than requests of HTTP.
    pub fn calls(&self) -> bool {
        !matches!(self, Speaks::Http | Speaks::Ajp(_))
    }

    /// Reads texts by the keys of [`SPEAKS_TEXTS`]; an empty one is ignored.
    ///
    /// # Errors
    /// A protocol that is not supported.
    pub fn from_texts(texts: &BTreeMap<String, String>) -> Result<Speaks, Mistake> {
        let text = |key: &str| texts.get(key).map(String::as_str).filter(|text| !text.is_empty());
        let path = |default: &str| text("path").unwrap_or(default).to_string();
        match text("protocol") {
            None | Some("http") => Ok(Speaks::Http),
            Some("ajp") => {
                let mut attributes =
                    Attributes { secret: text("secret").map(str::to_string), ..Attributes::default() };
                attributes.secret.iter().for_each(|secret| proofload_store::redact::know(secret));
                if let Some(size) = text("packet_size") {
                    let wrong = |_| Mistake::not(shown(size), Expected::Whole, "packet_size: 8192");
                    attributes.packet_bytes = size.parse().map_err(wrong)?;
                }
                Ok(Speaks::Ajp(Box::new(attributes)))
            }
            Some("dubbo") => {
                let named = text("serialization").unwrap_or("hessian2");
                let known = Serialization::ALL.into_iter().find(|known| known.name() == named);
                let all = || Serialization::ALL.map(Serialization::name);
                let serialization = known.ok_or_else(|| not_one_of(named, &all()))?;
                let one_way = text("one_way") == Some("true");
                Ok(Speaks::Dubbo(Box::new(dubbo::Options {
                    serialization,
                    one_way,
                    ..dubbo::Options::default()
                })))
            }
            Some("hessian") => Ok(Speaks::Hessian(hessian::Version::V2, path("/{interface}"))),
            Some("hessian1") => Ok(Speaks::Hessian(hessian::Version::V1, path("/{interface}"))),
            Some("json") => Ok(Speaks::Json(json::Body::Argument, path("/{method}"))),
            Some("jsonrpc") => Ok(Speaks::Json(json::Body::Rpc, path("/{interface}"))),
            Some("rmi") => match text("name") {
                Some(name) => Ok(Speaks::Rmi(name.to_string(), None)),
                None => Err(Mistake::NoRmiName),
            },
            Some(other) => Err(not_one_of(other, &PROTOCOLS)),
        }
    }

    /// A template of a path or a name, filled in for a call.
    pub(super) fn filled(template: &str, call: &Call) -> String {
        template.replace("{interface}", &call.interface).replace("{method}", &call.method)
    }
}

/// `speaks:` of a subject; `protocol` is that of its address, if it has one.
pub(super) fn check_speaks(field: &Field<'_>, protocol: Option<&str>) -> Option<Speaks> {
    let map = field.map("speaks: { protocol: dubbo }")?;
    let mut texts = BTreeMap::new();
    let mut whole = true;
    for key in SPEAKS_TEXTS {
        let Some(field) = map.optional(key) else { continue };
        let text = match field.written() {
            Some(text) => field.take(text_or_variable(text)),
            None => field.text("…").map(str::to_string),
        };
        match text {
            Some(text) => drop(texts.insert(key.to_string(), text)),
            None => whole = false,
        }
    }
    if let Some(protocol) = protocol {
        if let Some(said) = texts.get("protocol").filter(|said| *said != protocol) {
            field.problem(Mistake::OtherProtocol { found: shown(said), address: protocol.to_string() });
            whole = false;
        }
        texts.insert("protocol".to_string(), protocol.to_string());
    }
    let mut speaks = field.take(Speaks::from_texts(&texts))?;
    let mut further = Attributes::default();
    if let Some(field) = map.optional("attributes") {
        for (entry, field) in field.entries("attributes: { name: value }")? {
            match field.parameter_value(false) {
                Some(value) => {
                    proofload_store::redact::know_named(&entry.key, value);
                    further.request.push((entry.key.clone(), value.to_string()));
                }
                None => whole = false,
            }
        }
    }
    for (key, into) in [("remote_user", &mut further.remote_user), ("route", &mut further.route)] {
        if let Some(field) = map.optional(key) {
            *into = field.text("value").map(str::to_string);
            whole &= into.is_some();
        }
    }
    if let Some(field) = map.optional("is_ssl") {
        let read = field.boolean();
        further.is_ssl = read.unwrap_or(false);
        whole &= read.is_some();
    }
    if let Speaks::Ajp(attributes) = &mut speaks {
        let Attributes { secret, packet_bytes, .. } = (**attributes).clone();
        **attributes = Attributes { secret, packet_bytes, ..further };
    }
    map.close();
    whole.then_some(speaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Speaks, Mistake> {
        let pairs = pairs.iter().map(|(key, text)| ((*key).to_string(), (*text).to_string()));
        Speaks::from_texts(&pairs.collect())
    }

    #[test]
    fn texts_say_what_is_spoken() {
        assert_eq!(of(&[]), Ok(Speaks::Http));
        assert_eq!(of(&[("protocol", ""), ("secret", "x")]), Ok(Speaks::Http));
        let expected =
            Attributes { secret: Some("s".to_string()), packet_bytes: 65536, ..Attributes::default() };
        let ajp = of(&[("protocol", "ajp"), ("secret", "s"), ("packet_size", "65536")]);
        assert_eq!(ajp, Ok(Speaks::Ajp(Box::new(expected))));
        for name in ["http", "ajp", "dubbo", "hessian", "hessian1", "json", "jsonrpc", "rmi"] {
            assert_eq!(of(&[("protocol", name), ("name", "lab.Echo")]).unwrap().name(), name);
        }
        let dubbo =
            of(&[("protocol", "dubbo"), ("serialization", "fastjson2"), ("one_way", "true")]).unwrap();
        assert_eq!(dubbo.recorded(), "Dubbo, fastjson2, one-way");
    }

    #[test]
    fn what_is_not_spoken_is_told_with_what_is() {
        let told = |pairs: &[(&str, &str)]| proofload_language::facts::told(&of(pairs).unwrap_err());
        assert!(told(&[("protocol", "ajp"), ("packet_size", "x")]).contains("is not a whole number"));
        assert!(told(&[("protocol", "smtp")]).contains("write http, ajp, dubbo"));
        assert!(told(&[("protocol", "rmi")]).contains("write name: NAME"));
        assert!(told(&[("protocol", "dubbo"), ("serialization", "x")]).contains("write hessian2"));
    }
}
