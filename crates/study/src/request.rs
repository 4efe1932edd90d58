//! Requests as people write them, with placeholders, credentials and forms, and their encoded form.
//!
//! `${feeder}` and `${feeder.column}` are replaced by a value that changes with each exchange, `${variable}` by what a user
//! has captured, `${env.NAME}` by a variable of the environment, which is a secret and never shown; `$${` is a literal
//! `${`.

use super::body_file::Content;
use super::call::in_words;
use super::encode::of_http;
use super::feeders::Feeders;
use super::json_body;
use super::problem::{cannot_read, shown, variable};
use super::quantity;
use super::template::{TextPart, parts};
use super::url::check_target;
use super::writing::Context;
use data_encoding::BASE64;
use proofload_engine::feed::Filter;
use proofload_facts::{Mistake, Thing};
use proofload_store::redact::{self, REDACTED};
use proofload_wire::http1::{Credentials, RequestPart, RequestSpec, Slot, Template};
use proofload_wire::{Call, Streamed};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most parts of a form.
const PARTS_MAX: usize = 256;

/// A body as the study requests it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Text(String),
    /// Content of this file; placeholders are filled in when it is text.
    File(PathBuf),
    /// A form of several parts (`multipart/form-data`).
    Form(Vec<FormPart>),
    /// Names and values of a form in one line (`application/x-www-form-urlencoded`).
    Urlencoded(Vec<(String, String)>),
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormPart {
    pub name: String,
    pub value: FormValue,
}

/// The value of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormValue {
    Text(String),
    /// Content of this file.
    File {
        path: PathBuf,
        /// Its type; `application/octet-stream` by default.
        content_type: Option<String>,
        /// The name that the server receives; the file's own by default.
        filename: Option<String>,
    },
}

/// Credentials that go with every request.
#[derive(Clone, PartialEq, Eq)]
pub enum Auth {
    /// User and password (RFC 7617).
    Basic(String, String),
    /// User and password, proved without being sent (RFC 7616).
    Digest(String, String),
    /// A token (RFC 6750).
    Bearer(String),
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Auth::Basic(..) => "Basic([redacted])",
            Auth::Digest(..) => "Digest([redacted])",
            Auth::Bearer(_) => "Bearer([redacted])",
        })
    }
}

/// A request as a person wrote it, for plans: placeholders as written, credentials hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub target: String,
    pub headers: Vec<(String, String)>,
    /// Body, as text; empty for none.
    pub body: String,
}

/// A request, ready to be encoded once the server is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Parts that do not change.
    pub request: RequestSpec,
    /// The method that is called, where it is that.
    pub call: Option<Call>,
    pub template: Template,
    /// Who answers the server's challenge.
    pub digest: Option<Arc<Credentials>>,
    pub shown: Shown,
}

/// Collects a request part by part.
#[derive(Debug, Default)]
pub(super) struct Builder {
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Parts of it that are read while they are sent, and the byte that each goes before.
    streamed: Vec<(usize, Streamed)>,
    slots: Vec<Slot>,
    digest: Option<Arc<Credentials>>,
    shown: Shown,
}

/// A text without its values, and where they go.
struct Filled {
    text: String,
    places: Vec<(usize, u16)>,
}

impl Builder {
    pub fn target(&mut self, feeders: &mut Feeders, text: &str) -> Result<(), Mistake> {
        redact::know_in(text);
        let filled = self.fill(feeders, text, Context::Target)?;
        check_target(&filled.text)?;
        self.take(RequestPart::Target, &filled);
        self.target = filled.text;
        self.shown.target = text.to_string();
        Ok(())
    }

    pub fn header(&mut self, feeders: &mut Feeders, name: &str, text: &str) -> Result<(), Mistake> {
        quantity::header_name(name)?;
        self.put_header(feeders, name, text)
    }

    fn put_header(&mut self, feeders: &mut Feeders, name: &str, text: &str) -> Result<(), Mistake> {
        let text = text.trim();
        redact::know_named(name, text);
        let filled = self.fill(feeders, text, Context::Header)?;
        quantity::header_value(&filled.text)?;
        self.take(RequestPart::Header(self.headers.len()), &filled);
        self.headers.push((name.to_string(), filled.text));
        self.shown.headers.push((name.to_string(), text.to_string()));
        Ok(())
    }

    /// True if there is a header of this name so far.
    pub fn has(&self, header: &str) -> bool {
        self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(header))
    }

    pub fn auth(&mut self, feeders: &mut Feeders, auth: &Auth) -> Result<(), Mistake> {
        if self.has("authorization") {
            return Err(Mistake::exclude("auth", "headers.Authorization"));
        }
        match auth {
            Auth::Bearer(token) if token.contains(char::is_whitespace) => Err(Mistake::TokenSpaces),
            Auth::Bearer(token) if !token.contains("${") => {
                redact::know(token);
                self.put_header(feeders, "Authorization", &format!("Bearer {token}"))
            }
            Auth::Bearer(token) => self.put_header(feeders, "Authorization", &format!("Bearer {token}")),
            Auth::Basic(user, password) | Auth::Digest(user, password) => {
                let user = self.fill(feeders, user, Context::Body)?;
                let password = self.fill(feeders, password, Context::Body)?;
                if !user.places.is_empty() || !password.places.is_empty() {
                    return Err(Mistake::FeederInBasic { digest: matches!(auth, Auth::Digest(..)) });
                }
                if user.text.contains(':') {
                    return Err(Mistake::UserColon);
                }
                redact::know(&password.text);
                if matches!(auth, Auth::Digest(..)) {
                    quantity::header_value(&user.text)?;
                    self.digest = Some(Arc::new(Credentials { user: user.text, password: password.text }));
                } else {
                    let coded = BASE64.encode(format!("{}:{}", user.text, password.text).as_bytes());
                    redact::know(&coded);
                    self.headers.push(("Authorization".to_string(), format!("Basic {coded}")));
                }
                self.shown.headers.push(("Authorization".to_string(), REDACTED.to_string()));
                Ok(())
            }
        }
    }

    /// A body; of a form the header Content-Type as well.
    pub fn body(&mut self, feeders: &mut Feeders, body: &Body) -> Result<(), Mistake> {
        match body {
            Body::Text(text) => self.put_body(feeders, text.as_bytes())?,
            Body::File(path) => {
                let content = Content::of(path, true)?;
                self.put_content(feeders, &content, true)
                    .map_err(|mistake| mistake.at(path.display().to_string()))?;
            }
            Body::Form(parts) => return self.form(feeders, parts),
            Body::Urlencoded(pairs) => self.urlencoded(feeders, pairs)?,
        }
        let bytes = self.body_bytes();
        if bytes > 0 || self.slots.iter().any(|slot| slot.part == RequestPart::Body) {
            self.shown.body = format!("body of {bytes} bytes{}", self.varying());
        }
        Ok(())
    }

    fn varying(&self) -> &'static str {
        let varies = self.slots.iter().any(|slot| slot.part == RequestPart::Body);
        if varies { " and what is filled in" } else { "" }
    }

    /// Bytes of the body, without those filled in.
    fn body_bytes(&self) -> u64 {
        self.body.len() as u64 + self.streamed.iter().map(|(_, source)| source.bytes()).sum::<u64>()
    }

    /// Appends the content of a file to the body; placeholders are filled in if it `fills`.
    fn put_content(&mut self, feeders: &mut Feeders, content: &Content, fills: bool) -> Result<(), Mistake> {
        match content {
            Content::Bytes(bytes) if fills => return self.put_body(feeders, bytes),
            Content::Bytes(bytes) => self.body.extend_from_slice(bytes),
            Content::Long(source) => self.streamed.push((self.body.len(), source.clone())),
        }
        Ok(())
    }

    fn put_body(&mut self, feeders: &mut Feeders, bytes: &[u8]) -> Result<(), Mistake> {
        // A file that is not text has no placeholders.
        let Ok(text) = std::str::from_utf8(bytes) else {
            self.body.extend_from_slice(bytes);
            return Ok(());
        };
        redact::know_in(text);
        let filled = self.fill(feeders, text, Context::Body)?;
        self.take(RequestPart::Body, &filled);
        self.body.extend_from_slice(filled.text.as_bytes());
        Ok(())
    }

    fn form(&mut self, feeders: &mut Feeders, parts: &[FormPart]) -> Result<(), Mistake> {
        if parts.is_empty() || parts.len() > PARTS_MAX {
            return Err(Mistake::too_many(Thing::Part, parts.len(), PARTS_MAX));
        }
        if self.has("content-type") {
            return Err(Mistake::exclude("form", "headers.Content-Type"));
        }
        let mut contents = Vec::new();
        for part in parts {
            contents.push(match &part.value {
                FormValue::Text(text) => Content::Bytes(text.as_bytes().to_vec()),
                FormValue::File { path, .. } => Content::of(path, false)?,
            });
        }
        let boundary = boundary(&contents)?;
        for (part, content) in parts.iter().zip(&contents) {
            if let FormValue::Text(text) = &part.value {
                redact::know_named(&part.name, text);
            }
            self.body.extend_from_slice(part_head(part, &boundary)?.as_bytes());
            // A file is sent as it is: it may be anything.
            self.put_content(feeders, content, matches!(part.value, FormValue::Text(_)))?;
            self.body.extend_from_slice(b"\r\n");
        }
        self.body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={boundary}");
        self.headers.push(("Content-Type".to_string(), content_type));
        self.shown.headers.push(("Content-Type".to_string(), "multipart/form-data".to_string()));
        self.shown.body =
            format!("form of {} parts, {} bytes{}", parts.len(), self.body_bytes(), self.varying());
        Ok(())
    }

    fn urlencoded(&mut self, feeders: &mut Feeders, pairs: &[(String, String)]) -> Result<(), Mistake> {
        if pairs.is_empty() || pairs.len() > PARTS_MAX {
            return Err(Mistake::too_many(Thing::Part, pairs.len(), PARTS_MAX));
        }
        for (at, (name, text)) in pairs.iter().enumerate() {
            if name.is_empty() {
                return Err(Mistake::UnnamedPart);
            }
            redact::know_named(name, text);
            if at > 0 {
                self.body.push(b'&');
            }
            let mut put = |piece: &[u8]| self.body.extend_from_slice(piece);
            Filter::Form.apply(name.as_bytes(), &mut put);
            put(b"=");
            let filled = self.fill(feeders, text, Context::Urlencoded)?;
            self.take(RequestPart::Body, &filled);
            self.body.extend_from_slice(filled.text.as_bytes());
        }
        match self.has("content-type") {
            true => Ok(()),
            false => self.put_header(feeders, "Content-Type", "application/x-www-form-urlencoded"),
        }
    }

    /// The whole request, checked by the encoder, which decides.
    pub fn finish(self, method: &str, cookies: bool, keep_body: usize) -> Result<Asked, Mistake> {
        let request = RequestSpec {
            method: method.to_string(),
            target: self.target,
            authority: String::new(),
            headers: self.headers,
            body: self.body,
            close: false,
            keep_body,
        };
        let digest = self.digest.is_some();
        let template = Template { slots: self.slots, cookies, digest, streamed: self.streamed };
        RequestSpec { authority: "localhost".to_string(), close: true, ..request.clone() }
            .encode_with(&template)
            .map_err(|error| of_http(&error))?;
        Ok(Asked { request, call: None, template, digest: self.digest, shown: self.shown })
    }

    /// A call, with the headers so far for where HTTP carries it. The path is the protocol's without `path`.
    pub fn call(mut self, call: Call, path: &str, keep_body: usize) -> Asked {
        self.shown.target = in_words(&call);
        let request = RequestSpec {
            method: "CALL".to_string(),
            target: path.to_string(),
            authority: String::new(),
            headers: self.headers,
            body: Vec::new(),
            close: false,
            keep_body,
        };
        let template = Template { slots: self.slots, ..Template::default() };
        Asked { request, call: Some(call), template, digest: self.digest, shown: self.shown }
    }

    fn take(&mut self, part: RequestPart, filled: &Filled) {
        let from = if part == RequestPart::Body { self.body.len() } else { 0 };
        self.slots.extend(filled.places.iter().map(|(at, draw)| Slot { part, at: from + at, draw: *draw }));
    }

    /// Finds the placeholders of a text.
    fn fill(&mut self, feeders: &mut Feeders, text: &str, context: Context) -> Result<Filled, Mistake> {
        let parts = parts(text)?;
        let in_json = if context == Context::Body { json_body::contexts(&parts) } else { None };
        let mut in_json = in_json.into_iter().flatten();
        let mut filled = Filled { text: String::with_capacity(text.len()), places: Vec::new() };
        for part in &parts {
            if let TextPart::Text(text) = part {
                match context {
                    Context::Urlencoded => Filter::Form.apply(text.as_bytes(), |piece| filled.put(piece)),
                    _ => filled.text.push_str(text),
                }
                continue;
            }
            let context = match (context, in_json.next()) {
                (Context::Target, _) if filled.text.is_empty() => {
                    filled.text.push('/');
                    Context::WholeTarget
                }
                (context, in_json) => in_json.unwrap_or(context),
            };
            match *part {
                TextPart::Variable { name, filter } => {
                    let value = context.writing(filter)?.of(variable(name)?.as_bytes(), name);
                    filled.put(&value.map_err(|mistake| mistake.at(shown(name)))?);
                }
                TextPart::Value { name, column, filter } => {
                    filled.places.push((filled.text.len(), feeders.draw(name, column, filter, context)?));
                }
                TextPart::Text(_) => {}
            }
        }
        Ok(filled)
    }
}

impl Filled {
    /// Appends a text in UTF-8.
    fn put(&mut self, text: &[u8]) {
        self.text.push_str(&String::from_utf8_lossy(text));
    }
}

/// A line that no part of the form contains: the same form has the same boundary, so that runs can be compared.
fn boundary(contents: &[Content]) -> Result<String, Mistake> {
    let mut digest = Sha256::new();
    for content in contents {
        content.read(|piece| digest.update(piece)).map_err(|error| cannot_read("form".to_owned(), &error))?;
    }
    let mut boundary = String::from("proofload-");
    digest.finalize().iter().take(16).for_each(|byte| boundary.push_str(&format!("{byte:02x}")));
    Ok(boundary)
}

fn part_head(part: &FormPart, boundary: &str) -> Result<String, Mistake> {
    let quoted = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    if part.name.is_empty() {
        return Err(Mistake::UnnamedPart);
    }
    let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name));
    if let FormValue::File { path, content_type, filename } = &part.value {
        let own = || path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let filename = filename.clone().unwrap_or_else(own);
        let content_type = content_type.as_deref().unwrap_or("application/octet-stream");
        quantity::header_value(content_type)?;
        head.push_str(&format!("; filename=\"{}\"\r\nContent-Type: {content_type}", quoted(&filename)));
    }
    Ok(head + "\r\n\r\n")
}

/// A path as a study names it: within the folder of the study file, so that a study from elsewhere cannot send
/// other files of this machine away.
///
/// # Errors
/// The mistake, and what to do.
pub(super) fn within(directory: &Path, text: &str) -> Result<PathBuf, Mistake> {
    use std::path::Component;
    let outside = || Mistake::OutsideFolder { file: shown(text) };
    let path = Path::new(text);
    if path.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let whole = directory.join(path);
    // A link may lead out as well. A missing file is reported when it is read.
    if let (Ok(real), Ok(root)) = (whole.canonicalize(), directory.canonicalize())
        && !real.starts_with(&root)
    {
        return Err(outside());
    }
    Ok(whole)
}

#[cfg(test)]
mod tests;
