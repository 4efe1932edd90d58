//! Requests to a proxy that passes them on.

use super::request::{HTTP, Parts};
use crate::Request;

/// The same request, encoded for HTTP, in the form that a proxy takes without a tunnel: its target in absolute form (RFC
/// 9112 section 3.2.2), and the value of `Proxy-Authorization`. `authority` is that of the server's address, whatever the
/// request's own Host header says.
pub fn through_proxy(mut request: Request, authority: &str, authorization: Option<&[u8]>) -> Request {
    let Some(parts) = Parts::of(&request.bytes) else { return request };
    let mut insert = |at: usize, what: &[u8]| {
        request.bytes.splice(at..at, what.iter().copied());
        request.places.shift(at, what.len());
    };
    if let Some(authorization) = authorization {
        insert(parts.host.end + 2, &[b"Proxy-Authorization: ", authorization, b"\r\n"].concat());
    }
    insert(parts.target.start, &[HTTP, authority.as_bytes()].concat());
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http1::{RequestPart, RequestSpec, Slot, Template};
    use crate::{Filling, Outbox, Values};

    fn sent(request: &Request, values: &[&str]) -> String {
        let mut filled = Values::default();
        values.iter().for_each(|value| filled.push(value.as_bytes()));
        let mut out = Outbox::new(1 << 16);
        let filling = Filling { addition: b"Cookie: a=b\r\n", ..Filling::of(&filled) };
        request.places.write_to(&request.bytes, &filling, &mut out);
        String::from_utf8(out.pending().to_vec()).unwrap()
    }

    #[test]
    fn the_target_becomes_absolute_and_everything_filled_in_keeps_its_place() {
        let spec = RequestSpec {
            method: "PUT".to_owned(),
            headers: vec![("X-Row".to_owned(), "<>".to_owned()), ("Host".to_owned(), "other".to_owned())],
            body: b"[]".to_vec(),
            ..RequestSpec::get("shop.test", "/a/?q=")
        };
        let slot = |part, at, draw| Slot { part, at, draw };
        let slots = vec![
            slot(RequestPart::Target, 3, 0),
            slot(RequestPart::Target, 6, 1),
            slot(RequestPart::Header(0), 1, 0),
            slot(RequestPart::Body, 1, 1),
        ];
        let request = spec.encode_with(&Template { slots, cookies: true, ..Template::default() }).unwrap();
        let forwarded = through_proxy(request.clone(), "shop.test", Some(b"Basic eDp5"));
        let parts = Parts::of(&forwarded.bytes).unwrap();
        assert_eq!(parts.method(&forwarded.bytes), "PUT");
        assert_eq!(&forwarded.bytes[parts.target.clone()], b"/a/?q=");
        assert_eq!(&forwarded.bytes[parts.host], b"other");
        let direct = sent(&request, &["one", "three"]);
        let expected = direct
            .replace("PUT /a/", "PUT http://shop.test/a/")
            .replace("Host: other\r\n", "Host: other\r\nProxy-Authorization: Basic eDp5\r\n");
        assert_eq!(sent(&forwarded, &["one", "three"]), expected);
        assert!(direct.ends_with("Content-Length: 7\r\nCookie: a=b\r\n\r\n[three]"), "{direct}");
    }

    #[test]
    fn a_request_without_headers_of_its_own_takes_both() {
        let template = Template { cookies: true, ..Template::default() };
        let request = RequestSpec::get("[::1]:81", "/").encode_with(&template).unwrap();
        let told = sent(&through_proxy(request, "[::1]:81", Some(b"B x")), &[]);
        let lines = "Host: [::1]:81\r\nProxy-Authorization: B x\r\nCookie: a=b\r\n\r\n";
        assert_eq!(told, format!("GET http://[::1]:81/ HTTP/1.1\r\n{lines}"));
    }
}
