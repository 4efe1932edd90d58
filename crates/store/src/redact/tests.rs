use super::*;
use proptest::prelude::*;

fn hiding(values: &[&str]) -> Secrets {
    let mut secrets = Secrets::new();
    values.iter().for_each(|value| secrets.know(value));
    secrets
}

fn hidden(secrets: &Secrets, text: &str) -> String {
    String::from_utf8(secrets.hide(text.as_bytes(), false)).unwrap()
}

#[test]
fn a_known_value_goes_however_it_is_written() {
    let value = "aé\"<&/+ %\\z";
    let secrets = hiding(&[value, "hunter", "hunter2!"]);
    for text in [
        value.to_string(),
        "a%C3%A9%22%3C%26%2F%2B%20%25%5Cz".into(),
        "a%c3%a9%22%3c%26/%2b+%25%5cz".into(),
        r#"aé\"<&\/+ %\\z"#.into(),
        r#"a\u00e9\u0022\u003c\u0026/+ %\u005cz"#.into(),
        r#"aé\\\"<&/+ %\\\\z"#.into(),
        "aé&quot;&lt;&amp;/+ %\\z".into(),
        "a&#233;&#x22;&#60;&amp;&#47;&#43;&nbsp;%\\z".into(),
        r"aé\&#34;&lt;&amp;\&#x2F;+ %\\z".into(),
        "a%25C3%25A9%2522%253C%2526%252F%252B%2520%2525%255Cz".into(),
        "a%C3%A9%5C%22%3C%26%5C%2F%2B%20%25%5C%5Cz".into(),
        "aé&amp;quot;&amp;lt;&amp;amp;/+ %\\z".into(),
        data_encoding::BASE64.encode(value.as_bytes()),
        data_encoding::BASE64URL.encode(value.as_bytes()),
    ] {
        let said = hidden(&secrets, &format!("X: {text}|"));
        assert!(
            said.starts_with("X: [redacted]") && said.len() <= "X: [redacted]==|".len(),
            "{text}: {said}"
        );
    }
    for before in 0..4 {
        let within =
            data_encoding::BASE64.encode(format!("{}hunter2!, and more", "x".repeat(before)).as_bytes());
        assert!(hidden(&secrets, &within).contains(REDACTED), "{within}");
    }
    assert_eq!(hidden(&secrets, "hunter2!, hunter, hunte"), "[redacted], [redacted], hunte");
    assert_eq!(hidden(&hiding(&["😀key"]), r"\ud83d\ude00key"), "[redacted]");
    assert_eq!(hidden(&hiding(&["%41bc"]), "%41bc %2541bc"), "[redacted] [redacted]");
    assert_eq!(secrets.hide(b"\xffhunter\xff", false), b"\xff[redacted]\xff");
    assert_eq!(secrets.hide(b"hunhunter hunte", true), b"hun[redacted] [redacted]");
    assert_eq!(secrets.hide(b"hunhunter hun", true), b"hun[redacted] hun");
}

#[test]
fn short_values_words_of_ours_and_longer_numbers_stay() {
    let secrets = hiding(&["abc", "true", "Bearer", "${env.X}", "@file", "1234", "[redacted]"]);
    for text in ["abc", "true", "Bearer x", "${env.X}", "12345 0.1234 91234", "[redacted]"] {
        assert_eq!(hidden(&secrets, text), text);
    }
    assert_eq!(hidden(&secrets, "id=1234, \"1234\""), "id=[redacted], \"[redacted]\"");
}

/// Given, as one word and as a text of its own: what is left of it.
const BOTH: &[(&str, &str)] = &[
    ("--password=hunter2", "--password=[redacted]"),
    ("-Ddb.password=hunter2", "-Ddb.password=[redacted]"),
    ("Authorization: Bearer abc def", "Authorization: Bearer [redacted]"),
    ("Authorization: hunter2", "Authorization: [redacted]"),
    ("Authorization: Token token=\"X\"", "Authorization: Token [redacted]"),
    ("Authorization: Digest username=\"a\", response=\"X\"", "Authorization: Digest [redacted]"),
    ("Cookie: a=\"X\"; b=Y", "Cookie: [redacted]"),
    ("X-Auth-Token: \"a\" X", "X-Auth-Token: [redacted]"),
    ("X-Vault-Token: \"a\" X", "X-Vault-Token: [redacted]"),
    ("X-Auth: X", "X-Auth: [redacted]"),
    ("proxy-AUTHORIZATION:Basic dTpw", "proxy-AUTHORIZATION:Basic [redacted]"),
    ("Authorization: Basic dTpw\r\nHost: a\r\n", "Authorization: Basic [redacted]\r\nHost: a\r\n"),
    ("Set-Cookie: a=b; Path=/\nX: y", "Set-Cookie: [redacted]\nX: y"),
    ("Cookie: a=b\r\n c=d\r\nHost: x", "Cookie: [redacted]\r\n [redacted]\r\nHost: x"),
    ("Cookie:\r\n c=d\r\nHost: x", "Cookie:\r\n [redacted]\r\nHost: x"),
    (r#"{"user":"me","password":"s3","x":"y"}"#, r#"{"user":"me","password":"[redacted]","x":"y"}"#),
    (r#"{"password":"a\"X","x":1}"#, r#"{"password":"[redacted]","x":1}"#),
    (r#"{\"password\":\"a\\\"X\",\"x\":1}"#, r#"{\"password\":\"[redacted]\",\"x\":1}"#),
    (r#"{"token":["X", "Y"],"x":1}"#, r#"{"token":["[redacted]", "[redacted]"],"x":1}"#),
    (r#"{"tokens":["X"]}"#, r#"{"tokens":["[redacted]"]}"#),
    (
        r#"{"secret":{"value":"X","n":{"m":"Y"}},"x":1}"#,
        r#"{"secret":{"value":"[redacted]","n":{"m":"[redacted]"}},"x":1}"#,
    ),
    (r#"{"authorization": "Bearer t", "n": 1}"#, r#"{"authorization": "Bearer [redacted]", "n": 1}"#),
    (r#"{"name":"DB_PASSWORD","value":"X","x":1}"#, r#"{"name":"DB_PASSWORD","value":"[redacted]","x":1}"#),
    (
        r#"{"max_tokens": 4096, "pass": 3, "password": 4096}"#,
        r#"{"max_tokens": 4096, "pass": 3, "password": [redacted]}"#,
    ),
    ("<password>X</password><a>b</a>", "<password>[redacted]</password><a>b</a>"),
    ("<w:Password Type=\"t\">X</w:Password>", "<w:Password Type=\"t\">[redacted]</w:Password>"),
    ("<secret><![CDATA[X]]></secret>", "<secret><![CDATA[[redacted]]]></secret>"),
    ("<tokens><a>X</a><b>Y</b></tokens>", "<tokens><a>[redacted]</a><b>[redacted]</b></tokens>"),
    ("<property name=\"password\" value=\"X\"/>", "<property name=\"password\" value=\"[redacted]\"/>"),
    ("<property name=\"password\">X</property>", "<property name=\"password\">[redacted]</property>"),
    ("<Connector secret=\"s 3\" port=\"8009\"/>", "<Connector secret=\"[redacted]\" port=\"8009\"/>"),
    ("<C keystorePass='s 3' port='8009'/>", "<C keystorePass='[redacted]' port='8009'/>"),
    ("http://host/?ü=1&token=é&x=1", "http://host/?ü=1&token=[redacted]&x=1"),
    ("/a?token=abc&x=1", "/a?token=[redacted]&x=1"),
    ("password=one X&y=1", "password=[redacted]&y=1"),
    ("jdbc:x://h/d?a=b&password=one X&y=1", "jdbc:x://h/d?a=b&password=[redacted]&y=1"),
    ("/a;jsessionid=X?q=1", "/a;jsessionid=[redacted]?q=1"),
    ("password2=X", "password2=[redacted]"),
    ("token_value=X", "token_value=[redacted]"),
    ("http://me:abc@host/", "http://[redacted]@host/"),
    (
        "--data-binary; name=\"password\"\r\n\r\nX Y\r\n--b",
        "--data-binary; name=\"password\"\r\n\r\n[redacted]\r\n--b",
    ),
    (
        "-----BEGIN EC PRIVATE KEY-----\nX\n-----END EC PRIVATE KEY-----",
        "-----BEGIN EC PRIVATE KEY-----[redacted]-----END EC PRIVATE KEY-----",
    ),
    (
        "headers:\n  Authorization: Bearer t\n  Accept: text/plain\n",
        "headers:\n  Authorization: Bearer [redacted]\n  Accept: text/plain\n",
    ),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
    ("--heap=256m", "--heap=256m"),
    ("http://host:80/@me", "http://host:80/@me"),
    ("see http://host/a@b", "see http://host/a@b"),
    ("the secret of this authorization is none", "the secret of this authorization is none"),
    ("cookies: true, auth: false", "cookies: true, auth: false"),
];

/// As one word: an option or a variable takes all that follows.
const WORDS: &[(&str, &str)] = &[
    ("--password=one two&three", "--password=[redacted]"),
    ("'--password=one \"two\"; three'", "'--password=[redacted]'"),
    ("--env=DB_PASSWORD=one, two", "--env=DB_PASSWORD=[redacted]"),
    ("DB_PASSWORD=one two", "DB_PASSWORD=[redacted]"),
    ("\"PGPASSWORD=a=b c\"", "\"PGPASSWORD=[redacted]\""),
    (
        "SPRING_APPLICATION_JSON={\"a\":{\"password\":\"X\"}}",
        "SPRING_APPLICATION_JSON={\"a\":{\"password\":\"[redacted]\"}}",
    ),
    ("/a?x=1&password=one two", "/a?x=1&password=[redacted]"),
];

const TEXTS: &[(&str, &str)] = &[
    (
        "-Djavax.net.ssl.keyStorePassword=changeit -Xmx1g",
        "-Djavax.net.ssl.keyStorePassword=[redacted] -Xmx1g",
    ),
    ("GET /?password=p%20q&x=1 HTTP/1.1", "GET /?password=[redacted]&x=1 HTTP/1.1"),
    ("GET http://user:pw@host:80/x HTTP/1.1", "GET http://[redacted]@host:80/x HTTP/1.1"),
    ("login with password=X failed after 3 ms", "login with password=[redacted] failed after 3 ms"),
];

#[test]
fn credentials_go_by_their_names_and_the_rest_stays() {
    for (given, left) in BOTH.iter().chain(WORDS) {
        assert_eq!(cut(given, Form::Word), *left, "as a word: {given}");
        assert_eq!(cut(left, Form::Word), *left, "twice");
    }
    for (given, left) in BOTH.iter().chain(TEXTS) {
        assert_eq!(cut(given, Form::Text), *left, "in a text: {given}");
        assert_eq!(cut(left, Form::Text), *left, "twice");
    }
}

#[test]
fn what_stands_under_a_name_is_known_as_it_is_meant() {
    for (name, value, secrets) in [
        ("Authorization", "Bearer zq1x", &["zq1x"][..]),
        ("Authorization", "Token token=\"zq2x\"", &["zq2x"]),
        ("Authorization", "Digest realm=\"here\", response=\"zq3x\"", &["zq3x"]),
        ("Cookie", "id=\"zq4x\"; lang=zq5x", &["zq4x", "zq5x"]),
        ("basic_auth", "me:zq6x", &["zq6x"]),
        ("x", "a?token=zq%2F7x", &["zq/7x"]),
        ("x", "password=one+zq8x&y=1", &["one zq8x"]),
        ("x", r#"{"password":"a\"zq9x"}"#, &["a\"zq9x"]),
        ("x", "<pwd>a&amp;zq10x</pwd>", &["a&zq10x"]),
    ] {
        know_named(name, value);
        for secret in secrets {
            assert_eq!(hide(&format!("<{secret}>")), "<[redacted]>", "{name}: {value}");
        }
    }
    assert_eq!(hide("realm=here"), "realm=here");
}

proptest! {
    #[test]
    fn any_text_can_be_redacted_and_twice_is_once(text in "(?s)([a-z]{0,3}(password|token|Cookie|[:=&{}\\[\\]\"'<> \\\\\r\n;,@/%-])){0,40}") {
        for form in [Form::Word, Form::Text] {
            let once = cut(&text, form);
            prop_assert_eq!(cut(&once, form), once);
        }
    }

    #[test]
    fn any_bytes_can_be_hidden_from(bytes in prop::collection::vec(any::<u8>(), 0..200), value in "[%&\\\\a-c\"]{4,6}") {
        let mut secrets = Secrets::new();
        secrets.know(&value);
        let cut = secrets.hide(&bytes, true);
        prop_assert!(cut.len() <= bytes.len() * 3 + 10);
        let around = [&bytes[..], value.as_bytes()].concat();
        prop_assert!(!secrets.hide(&around, false).ends_with(value.as_bytes()));
    }

    #[test]
    fn the_token_never_survives(
        before in "[a-z \\r\\n]{0,20}",
        name in prop::sample::select(&["Authorization", "Cookie", "set-cookie", "X-Api-Key", "x-auth-token"][..]),
    ) {
        let text = format!("{before}\n{name}: zQ9tokenZ\nmore");
        prop_assert!(!cut(&text, Form::Text).contains("zQ9tokenZ"));
    }
}

#[test]
fn in_json_of_ours_only_texts_of_others_change() {
    know("zq-throughput");
    let given = r#"{"variant":"zq-throughput","zq-throughput":1,"findings":[{"code":"failed","error":"no \"zq-throughput\""}],"what":["zq-throughput"],"n":1}"#;
    let left = r#"{"variant":"zq-throughput","zq-throughput":1,"findings":[{"code":"failed","error":"no \"[redacted]\""}],"what":["[redacted]"],"n":1}"#;
    assert_eq!(json(given.to_string()), left);
}
