use super::*;
use crate::tests::told;

#[test]
fn a_tunnel_is_asked_for_with_its_port() {
    for (authority, secure, asked) in [
        ("a.test", true, "a.test:443"),
        ("a.test", false, "a.test:80"),
        ("a.test:8443", true, "a.test:8443"),
        ("[::1]", true, "[::1]:443"),
        ("[::1]:8443", true, "[::1]:8443"),
    ] {
        assert_eq!(with_port(authority, secure), asked);
    }
}

#[test]
fn a_proxy_is_taken_apart_and_its_password_never_repeated() {
    let found = proxy("http://me:p%40ss%3A@127.0.0.1:3128/").unwrap();
    assert_eq!(
        (found.authority.as_str(), found.user.as_ref().unwrap().1.as_str()),
        ("127.0.0.1:3128", "p@ss:")
    );
    assert_eq!(found.authorization().unwrap(), "Basic bWU6cEBzczo=");
    assert!(!format!("{found:?}").contains("p@ss"));
    for bad in [
        "127.0.0.1:3128",
        "http://127.0.0.1",
        "http://:1",
        "socks5://127.0.0.1:1",
        "http://hunter2@127.0.0.1:1",
    ] {
        let error = told(&proxy(bad).unwrap_err());
        assert!(error.contains("; ") && !error.contains("hunter2"), "{bad}: {error}");
    }
}
