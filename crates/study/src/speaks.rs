//! What is spoken with a server, and what it must be told with every request.

use super::field::{Field, Map};
use super::keys::{Kind, WORD, keys};
use super::mix::HEADER;
use proofload_wire::Protocol;
use proofload_wire::ajp::{Attributes, PACKET_BYTES_MAX, PACKET_BYTES_MIN};
use std::collections::BTreeMap;

/// What is spoken with a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Speaks {
    /// HTTP/1.1.
    #[default]
    Http,
    /// AJP/1.3, with what a web server would say of its own accord.
    Ajp(Box<Attributes>),
}

keys! {
    /// What a container is told with every request beside the request, as a web server before it would.
    AJP {
        /// The secret that its connector demands (`secret`); `${env.NAME}` keeps it out of the file.
        optional secret: WORD,
        /// Longest packet in bytes, which must be its connector's too (`packetSize`); 8192 without.
        optional packet_size: Kind::Integer(PACKET_BYTES_MIN as u64, PACKET_BYTES_MAX as u64),
        /// Attributes of the request, as its connector allows them.
        optional attributes: Kind::Names(&HEADER, 1, 64),
        /// Whether the client came by TLS.
        optional is_ssl: Kind::Switch,
        /// The user whom the web server knows.
        optional remote_user: WORD,
        /// The route of the container among several.
        optional route: WORD,
    }
}

impl Speaks {
    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        match self {
            Speaks::Http => Protocol::Http1,
            Speaks::Ajp(_) => Protocol::Ajp,
        }
    }

    /// What a folder of the catalogue says, filled in; an empty text says nothing.
    ///
    /// # Errors
    /// `what; remedy`.
    pub fn from_texts(texts: &BTreeMap<String, String>) -> Result<Speaks, String> {
        let text = |key: &str| texts.get(key).map(String::as_str).filter(|text| !text.is_empty());
        match text("protocol") {
            None | Some("http") => Ok(Speaks::Http),
            Some("ajp") => {
                let mut attributes =
                    Attributes { secret: text("secret").map(str::to_string), ..Attributes::default() };
                if let Some(size) = text("packet_size") {
                    attributes.packet_bytes =
                        size.parse().map_err(|_| format!("packet_size {size} is no number; write bytes"))?;
                }
                Ok(Speaks::Ajp(Box::new(attributes)))
            }
            Some(other) => Err(format!("{other} is not spoken here; write http or ajp")),
        }
    }

    /// Values that may not be shown.
    pub fn secrets(&self) -> Vec<String> {
        match self {
            Speaks::Http => Vec::new(),
            Speaks::Ajp(attributes) => attributes.secret.iter().cloned().collect(),
        }
    }
}

/// `ajp:` of a subject.
pub(super) fn check_ajp(field: &Field<'_>) -> Option<Attributes> {
    let map = field.map("write ajp: {} or ajp: { secret: ${env.AJP_SECRET} }")?;
    let mut attributes = Attributes::default();
    let mut whole = true;
    let mut word = |map: &Map<'_>, key: &str, into: &mut Option<String>| {
        let Some(field) = map.optional(key) else { return };
        let text = field.text("write a word").map(variable);
        match text {
            Some(Ok(text)) => *into = Some(text),
            Some(Err(what)) => {
                field.joined_problem(&what);
                whole = false;
            }
            None => whole = false,
        }
    };
    word(&map, "secret", &mut attributes.secret);
    word(&map, "remote_user", &mut attributes.remote_user);
    word(&map, "route", &mut attributes.route);
    if let Some(field) = map.optional("packet_size") {
        match field.integer("a packet size") {
            Some(bytes) => attributes.packet_bytes = bytes as u32,
            None => whole = false,
        }
    }
    if let Some(field) = map.optional("is_ssl") {
        match field.boolean() {
            Some(is_ssl) => attributes.is_ssl = is_ssl,
            None => whole = false,
        }
    }
    if let Some(field) = map.optional("attributes") {
        for (entry, field) in field.entries("write attributes: { name: value }")? {
            match field.parameter_value(false) {
                Some(value) => attributes.request.push((entry.key.clone(), value.to_string())),
                None => whole = false,
            }
        }
    }
    map.close();
    whole.then_some(attributes)
}

/// A text, or the variable of the environment that `${env.NAME}` names.
fn variable(text: &str) -> Result<String, String> {
    let Some(name) = text.strip_prefix("${env.").and_then(|rest| rest.strip_suffix('}')) else {
        return Ok(text.to_string());
    };
    std::env::var(name).map_err(|_| format!("the environment has no text under `{name}`; export it first"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_the_catalogue_says_what_is_spoken() {
        let texts = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(key, text)| ((*key).to_string(), (*text).to_string()));
            Speaks::from_texts(&pairs.collect())
        };
        assert_eq!(texts(&[]), Ok(Speaks::Http));
        assert_eq!(texts(&[("protocol", ""), ("secret", "x")]), Ok(Speaks::Http));
        let expected =
            Attributes { secret: Some("s".to_string()), packet_bytes: 65536, ..Attributes::default() };
        let ajp = texts(&[("protocol", "ajp"), ("secret", "s"), ("packet_size", "65536")]);
        assert_eq!(ajp, Ok(Speaks::Ajp(Box::new(expected))));
        assert_eq!(texts(&[("protocol", "ajp")]).map(|speaks| speaks.secrets()), Ok(Vec::new()));
        assert!(texts(&[("protocol", "ajp"), ("packet_size", "x")]).is_err());
        assert!(texts(&[("protocol", "smtp")]).unwrap_err().contains("write http or ajp"));
    }
}
