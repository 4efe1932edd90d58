//! The numbers of the protocol (the AJPv13 document of Apache Tomcat Connectors).

/// First bytes of each packet to the container.
pub(super) const TO_CONTAINER: [u8; 2] = [0x12, 0x34];
/// First bytes of each packet from the container.
pub(super) const FROM_CONTAINER: [u8; 2] = *b"AB";

pub(super) const FORWARD_REQUEST: u8 = 2;
/// A piece of the answer's body.
pub(super) const SEND_BODY_CHUNK: u8 = 3;
/// The answer's status and headers.
pub(super) const SEND_HEADERS: u8 = 4;
pub(super) const END_RESPONSE: u8 = 5;
/// The container wants more of the request's body.
pub(super) const GET_BODY_CHUNK: u8 = 6;
/// The answer to [`CPING`].
pub(super) const CPONG: u8 = 9;
/// The question whether the container is there.
pub(super) const CPING: u8 = 10;

/// Length of a string that is null: neither bytes nor an end follow.
pub(super) const NULL: u16 = 0xffff;
/// High byte of the two that encode a well-known header's name.
pub(super) const HEADER: u16 = 0xa000;

/// Code of a method that has no code of its own: its name is in [`STORED_METHOD`].
pub(super) const METHOD_STORED: u8 = 0xff;

/// Methods by their codes, from 1 on.
pub(super) const METHODS: [&str; 27] = [
    "OPTIONS",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "TRACE",
    "PROPFIND",
    "PROPPATCH",
    "MKCOL",
    "COPY",
    "MOVE",
    "LOCK",
    "UNLOCK",
    "ACL",
    "REPORT",
    "VERSION-CONTROL",
    "CHECKIN",
    "CHECKOUT",
    "UNCHECKOUT",
    "SEARCH",
    "MKWORKSPACE",
    "UPDATE",
    "LABEL",
    "MERGE",
    "BASELINE-CONTROL",
    "MKACTIVITY",
];

/// Headers of requests by their codes, from 0xA001 on.
pub(super) const REQUEST_HEADERS: [&str; 14] = [
    "Accept",
    "Accept-Charset",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Connection",
    "Content-Type",
    "Content-Length",
    "Cookie",
    "Cookie2",
    "Host",
    "Pragma",
    "Referer",
    "User-Agent",
];

/// Headers of answers by their codes, from 0xA001 on.
pub(super) const ANSWER_HEADERS: [&str; 11] = [
    "Content-Type",
    "Content-Language",
    "Content-Length",
    "Date",
    "Last-Modified",
    "Location",
    "Set-Cookie",
    "Set-Cookie2",
    "Servlet-Engine",
    "Status",
    "WWW-Authenticate",
];

/// Code of Content-Length in requests.
pub(super) const REQUEST_CONTENT_LENGTH: u16 = HEADER + 8;
/// Code of Host in requests.
pub(super) const REQUEST_HOST: u16 = HEADER + 11;
/// Low byte of the code of Content-Length in answers.
pub(super) const ANSWER_CONTENT_LENGTH: u16 = 3;

// Codes of a request's attributes.
pub(super) const CONTEXT: u8 = 1;
pub(super) const SERVLET_PATH: u8 = 2;
pub(super) const REMOTE_USER: u8 = 3;
pub(super) const AUTH_TYPE: u8 = 4;
pub(super) const QUERY_STRING: u8 = 5;
pub(super) const ROUTE: u8 = 6;
pub(super) const SSL_CERT: u8 = 7;
pub(super) const SSL_CIPHER: u8 = 8;
pub(super) const SSL_SESSION: u8 = 9;
pub(super) const REQ_ATTRIBUTE: u8 = 10;
pub(super) const SSL_KEY_SIZE: u8 = 11;
pub(super) const SECRET: u8 = 12;
pub(super) const STORED_METHOD: u8 = 13;
pub(super) const ARE_DONE: u8 = 0xff;

/// Names of the attributes that have one string, by their codes.
pub(super) const ATTRIBUTES: [(u8, &str); 11] = [
    (CONTEXT, "context"),
    (SERVLET_PATH, "servlet_path"),
    (REMOTE_USER, "remote_user"),
    (AUTH_TYPE, "auth_type"),
    (QUERY_STRING, "query_string"),
    (ROUTE, "route"),
    (SSL_CERT, "ssl_cert"),
    (SSL_CIPHER, "ssl_cipher"),
    (SSL_SESSION, "ssl_session"),
    (SECRET, "secret"),
    (STORED_METHOD, "stored_method"),
];

/// The code of a method, if it has one.
pub(super) fn method(name: &str) -> Option<u8> {
    METHODS.iter().zip(1..).find(|(known, _)| **known == name).map(|(_, code)| code)
}

/// The code of a request's header, if it has one.
pub(super) fn request_header(name: &str) -> Option<u16> {
    let codes = REQUEST_HEADERS.iter().zip(HEADER + 1..);
    codes.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, code)| code)
}
