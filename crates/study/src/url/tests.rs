use super::*;
use crate::tests::told;

#[test]
fn an_address_is_taken_apart() {
    let parsed = parse_url("http://127.0.0.1:8080/a/b?c=d#e").unwrap();
    assert_eq!(parsed.address.tcp(), Some("127.0.0.1:8080".parse().unwrap()));
    assert_eq!(parsed.authority, "127.0.0.1:8080");
    assert_eq!(parsed.target, "/a/b?c=d");
    let parsed = parse_url("HTTP://[::1]?x").unwrap();
    assert_eq!(parsed.address.tcp(), Some("[::1]:80".parse().unwrap()));
    assert_eq!((parsed.authority.as_str(), parsed.target.as_str()), ("[::1]", "/?x"));
    let local = parse_url("http://localhost:9").unwrap();
    assert_eq!(local.address.tcp(), Some("127.0.0.1:9".parse().unwrap()));
    let parsed = parse_url("HTTPS://127.0.0.1/").unwrap();
    assert_eq!(parsed.address.tcp(), Some("127.0.0.1:443".parse().unwrap()));
    assert!(parsed.secure && !local.secure);
    let parsed = parse_url("http+unix://%2frun%2Fmy%20app.sock/a?b").unwrap();
    assert_eq!(parsed.address, Address::Unix("/run/my app.sock".into()).into());
    assert_eq!((parsed.name.as_str(), parsed.authority.as_str()), ("my app.sock", "localhost"));
    assert_eq!(parsed.target, "/a?b");
}

#[test]
fn a_value_may_be_all_of_the_path_of_an_address() {
    for (text, target) in [
        ("http://127.0.0.1:81${u.path}", "${u.path}"),
        ("127.0.0.1:81${u}?x=${u.path}", "${u}?x=${u.path}"),
        ("http://127.0.0.1:81/${u.path}", "/${u.path}"),
    ] {
        let parsed = parse_url_unresolved(text).unwrap();
        assert_eq!((parsed.authority.as_str(), parsed.target.as_str()), ("127.0.0.1:81", target));
    }
    assert!(parse_url_unresolved("http://127.0.0.1:${port}/").is_err());
}

#[test]
fn an_address_without_a_scheme_is_one_of_http() {
    for text in
        ["localhost:8181", "127.0.0.1:8181/a?b", "localhost", "127.0.0.1/x", "[::1]:80", "example.org:80/"]
    {
        assert_eq!(parse_url_unresolved(text), parse_url_unresolved(&format!("http://{text}")), "{text}");
    }
}

#[test]
fn a_name_may_be_given_its_address() {
    let given = |text: &str| text.split(',').map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
    let parsed =
        parse_url_unresolved("https://test.example/").unwrap().resolved(&given("127.0.0.7")).unwrap();
    assert_eq!(parsed.address.tcp(), Some("127.0.0.7:443".parse().unwrap()));
    assert_eq!(parsed.authority, "test.example");
    let parsed = parse_url_unresolved("http://a/").unwrap().resolved(&given("::1,127.0.0.9,::1")).unwrap();
    assert_eq!(parsed.address.to_string(), "[::1]:80, 127.0.0.9:80");
}

#[test]
fn families_take_turns_in_the_order_of_the_system() {
    let of = |text: &str| text.split(' ').map(|text| text.parse().unwrap()).collect::<Vec<SocketAddr>>();
    for (found, turns) in [
        ("[::7]:1 [::8]:1 1.1.1.1:1 [::9]:1 2.2.2.2:1", "[::7]:1 1.1.1.1:1 [::8]:1 2.2.2.2:1 [::9]:1"),
        ("1.1.1.1:1 2.2.2.2:1 [::7]:1", "1.1.1.1:1 [::7]:1 2.2.2.2:1"),
        ("1.1.1.1:1 2.2.2.2:1", "1.1.1.1:1 2.2.2.2:1"),
    ] {
        assert_eq!(in_turns(&of(found)), of(turns));
    }
    assert_eq!(in_turns(&[]), []);
}

#[test]
fn a_name_of_this_machine_has_both_loopback_addresses() {
    for name in ["localhost", "LocalHost.", "shop.localhost"] {
        let found = resolve(name, 81).unwrap();
        for loopback in ["127.0.0.1:81", "[::1]:81"] {
            let loopback = Address::Tcp(loopback.parse().unwrap());
            assert_eq!(found.iter().filter(|address| **address == loopback).count(), 1, "{name}");
        }
    }
    assert_eq!(resolve("127.0.0.1", 81).unwrap().to_string(), "127.0.0.1:81");
}

#[test]
fn what_is_no_http_address_is_refused_with_a_remedy() {
    for (text, remedy) in [
        ("ftp://localhost/", "write http://"),
        ("example.org", "write http://host:port/path"),
        ("study.yaml", "write http://host:port/path"),
        ("localhost:http", "write http://host:port/path"),
        ("localhost:0", "a host with a port from 1 to 65535"),
        ("localhost:99999", "a host with a port from 1 to 65535"),
        ("user:secret@localhost:80", "Authorization"),
        ("/path", "write http://host:port/path"),
        ("http://", "write http://host:port"),
        ("http://:80/", "write http://host:port"),
        ("http://localhost:0/", "write http://host:port"),
        ("http://localhost:99999/", "write http://host:port"),
        ("http://localhost:+80/", "write http://host:port"),
        ("http://user:secret@localhost/", "Authorization"),
        ("http://localhost/a b", "%20"),
        ("http://localhost/ü", "%C3%BC"),
        ("http://localhost/a|b", "%7C"),
        ("http://localhost/?q={x}", "%7B"),
        ("http://localhost/${id}`", "%60"),
        ("http://localhost/\r\nX: y", "%0D"),
        ("http://[::zz]/", "write http://host:port"),
        ("http+unix://run/app.sock", "write the whole path with %2F"),
        ("http+unix:///run/app.sock", "write the whole path with %2F"),
        ("http+unix://%2Frun%2/", "write the whole path with %2F"),
        ("http+unix://%2Frun%00/", "write the whole path with %2F"),
        (&format!("http+unix://%2F{}/", "x".repeat(107)), "at most 107, so"),
    ] {
        let error = told(&parse_url(text).unwrap_err());
        assert!(error.contains(remedy), "{text}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
