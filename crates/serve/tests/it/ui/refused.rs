//! Requests that are refused, and headers of every answer.

use super::asking::serve;
use super::made;

#[test]
fn each_stranger_is_refused_and_learns_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    made::run(root.path(), "hidden-name", 0);
    let served = serve(root.path());
    assert!(served.get("").body.contains("hidden-name"));
    for (status, request) in [
        (403, "GET / HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (403, "GET /runs/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (403, "GET /0123456789abcdef0123456789abcdef/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (403, "GET /?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (403, "GET / HTTP/1.1\r\nHost: HOST\r\nCookie: token=TOKEN\r\nAuthorization: Bearer TOKEN\r\n\r\n"),
        (403, "GET //TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nHost: rebound.example\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nHost: 127.0.0.1.rebound.example:80\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nHost: rebound.example\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nhost:\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.0\r\n\r\n"),
        (403, "GET http://rebound.example/TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nOrigin: http://elsewhere.example\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nOrigin: http://127.0.0.1:1\r\n\r\n"),
        (403, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\n\r\n"),
        (403, "GET /TOKEN/ui.js HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\n\r\n"),
        (405, "POST /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n"),
        (405, "PUT /TOKEN/run/a/b HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (405, "DELETE /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (405, "OPTIONS /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (405, "TRACE /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (413, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n\r\nabc"),
        (413, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        (403, "GET TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n"),
        (400, "nonsense\r\n\r\n"),
    ] {
        let answer = served.raw(request).unwrap_or_else(|| panic!("no answer to {request}"));
        assert_eq!(answer.status, status, "{request}");
        assert!(!answer.body.contains("hidden-name"), "{request}: {}", answer.body);
        assert!(!answer.body.contains(served.base.trim_matches('/')), "{request}: {}", answer.body);
    }
}

#[test]
fn own_names_of_the_machine_and_ports_of_a_tunnel_are_fine() {
    let root = tempfile::tempdir().expect("a folder");
    let served = serve(root.path());
    for host in ["127.0.0.1", "localhost", "localhost:8800", "127.0.0.1:1"] {
        let request = format!("GET /TOKEN/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\r\n");
        assert_eq!(served.raw(&request).expect("an answer").status, 200, "{host}");
    }
}

#[test]
fn every_answer_forbids_what_a_page_has_no_need_of() {
    let root = tempfile::tempdir().expect("a folder");
    let run = made::run(root.path(), "a", 0);
    let served = serve(root.path());
    let report = format!("run/a/{}", made::id(&run));
    let etag = served.get("").header("etag").expect("an etag").to_string();
    let mut answers: Vec<_> =
        ["", "?q=x", &report, "compare", "nothing", "ui.css", "ui.js", "report.js", "icon.svg"]
            .map(|path| served.get(path))
            .into();
    answers.push(served.get_if("", Some(&etag)));
    answers.push(served.raw("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n").expect("an answer"));
    answers.push(served.raw("HEAD /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n").expect("an answer"));
    for answer in &answers {
        let policy = answer.header("content-security-policy").expect("a policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{:?}", answer.headers);
        }
        assert!(
            answer.header("set-cookie").is_none() && answer.header("access-control-allow-origin").is_none()
        );
        // A word that begins an attribute of an element that acts.
        for handler in [" onclick", " onload", " onerror", "javascript:", " style=\""] {
            assert!(
                !answer.body.contains(handler)
                    || answer.header("content-type") == Some("text/javascript; charset=utf-8"),
                "{handler}"
            );
        }
    }
    let head = answers.last().expect("HEAD");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}
