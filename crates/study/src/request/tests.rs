use super::*;
use crate::tests::told;
use proofload_engine::feed::Feeder;

fn counter() -> Feeders {
    let mut feeders = Feeders::default();
    feeders.add("n", &crate::feeders::FeederSpec::Made(Feeder::Counter { from: 1, step: 1 }), None).unwrap();
    feeders
}

#[test]
fn placeholders_leave_the_text_and_are_remembered() {
    let mut feeders = counter();
    let mut builder = Builder::default();
    builder.target(&mut feeders, "/a/${n}?x=y&z=${n}").unwrap();
    builder.header(&mut feeders, "X-N", "<${n}>$${y}").unwrap();
    builder.body(&mut feeders, &Body::Text("{${n}}".to_string())).unwrap();
    let asked = builder.finish("POST", false, 0).unwrap();
    assert_eq!(
        (asked.request.target.as_str(), asked.request.headers[0].1.as_str()),
        ("/a/?x=y&z=", "<>${y}")
    );
    let at: Vec<usize> = asked.template.slots.iter().map(|slot| slot.at).collect();
    assert_eq!(at, [3, 10, 1, 1]);
    assert_eq!(asked.shown.target, "/a/${n}?x=y&z=${n}");
    assert_eq!(asked.shown.body, "body of 2 bytes and what is filled in");
}

#[test]
fn wrong_placeholders_are_told_with_a_remedy() {
    let mut feeders = counter();
    for text in ["/${n", "/${m}", "/${n.x}", "/${env.PROOFLOAD_NO_SUCH}", "/${}"] {
        let found = told(&Builder::default().target(&mut feeders, text).unwrap_err());
        assert!(found.contains("; "), "{text}: {found}");
    }
}

#[test]
fn a_variable_of_the_environment_is_sent_and_never_shown() {
    let mut builder = Builder::default();
    let mut feeders = Feeders::default();
    let path = std::env::var("PATH").unwrap();
    builder.header(&mut feeders, "X-Path", "a ${env.PATH}").unwrap();
    builder.target(&mut feeders, "/?p=${env.PATH}").unwrap();
    let asked = builder.finish("GET", false, 0).unwrap();
    assert_eq!(asked.request.headers[0].1, format!("a {path}"));
    assert!(!asked.request.target.contains('/') || asked.request.target.matches('/').count() == 1);
    assert_eq!(proofload_store::redact::hide(&format!("|{path}|")), "|[redacted]|");
    assert!(!format!("{:?}", asked.shown).contains(&path), "{:?}", asked.shown);
}

#[test]
fn credentials_become_a_header_that_is_not_shown() {
    let mut feeders = counter();
    let auth = |feeders: &mut Feeders, auth: &Auth| {
        let mut builder = Builder::default();
        builder.target(feeders, "/")?;
        builder.auth(feeders, auth)?;
        builder.finish("GET", false, 0)
    };
    let basic = Auth::Basic("Aladdin".to_string(), "open sesame".to_string());
    let asked = auth(&mut feeders, &basic).unwrap();
    // The example of RFC 7617, section 2.
    assert_eq!(asked.request.headers[0].1, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_eq!(asked.shown.headers[0].1, REDACTED);
    assert!(!format!("{basic:?}").contains("sesame"));
    let asked = auth(&mut feeders, &Auth::Bearer("t-${n}".to_string())).unwrap();
    assert_eq!((asked.request.headers[0].1.as_str(), asked.template.slots[0].at), ("Bearer t-", 9));
    for wrong in [
        Auth::Bearer("a b".to_string()),
        Auth::Basic("a:b".to_string(), String::new()),
        Auth::Basic("${n}".to_string(), String::new()),
        Auth::Digest("u".to_string(), "${n}".to_string()),
    ] {
        let told = told(&auth(&mut feeders, &wrong).unwrap_err());
        assert!(told.contains("; "), "{told}");
        assert!(!told.contains("base64") || matches!(wrong, Auth::Basic(..)), "{told}");
    }
}

#[test]
fn a_form_has_its_parts_between_boundaries() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a\"b.txt");
    std::fs::write(&file, "from ${a} file").unwrap();
    let parts = [
        FormPart { name: "field".to_string(), value: FormValue::Text("v${n}".to_string()) },
        FormPart {
            name: "f".to_string(),
            value: FormValue::File {
                path: file,
                content_type: Some("text/plain".to_string()),
                filename: None,
            },
        },
    ];
    let mut builder = Builder::default();
    let mut feeders = counter();
    builder.target(&mut feeders, "/").unwrap();
    builder.body(&mut feeders, &Body::Form(parts.to_vec())).unwrap();
    let asked = builder.finish("POST", false, 0).unwrap();
    let boundary = asked.request.headers[0].1.strip_prefix("multipart/form-data; boundary=").unwrap();
    let body = String::from_utf8(asked.request.body.clone()).unwrap();
    let expected = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"field\"\r\n\r\nv\r\n--{boundary}\r\n\
         Content-Disposition: form-data; name=\"f\"; filename=\"a%22b.txt\"\r\nContent-Type: text/plain\r\n\r\n\
         from ${{a}} file\r\n--{boundary}--\r\n"
    );
    assert_eq!(body, expected);
    let slot = asked.template.slots[0];
    assert_eq!(&body[..slot.at], &expected[..expected.find("v\r\n").unwrap() + 1]);
}

#[test]
fn a_study_names_no_file_outside_its_folder() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("in")).unwrap();
    std::fs::write(directory.path().join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(directory.path().join("secret"), directory.path().join("in/link")).unwrap();
    let root = directory.path().join("in");
    for text in ["../secret", "/etc/passwd", "a/../../secret", "link"] {
        assert!(matches!(within(&root, text), Err(Mistake::OutsideFolder { .. })), "{text}");
    }
    assert_eq!(within(&root, "./a/b.csv"), Ok(root.join("./a/b.csv")));
}

#[test]
fn values_in_a_body_of_json_know_whether_they_are_within_a_string() {
    use proofload_engine::feed::{Draw, Filter};
    let mut feeders = counter();
    feeders.add_variable("v").unwrap();
    let mut builder = Builder::default();
    builder.target(&mut feeders, "/").unwrap();
    let text = r#"{"a": "${v}", "b": ${v|json}, "${n}": [${n}, "${v|raw}"]}"#;
    builder.body(&mut feeders, &Body::Text(text.to_string())).unwrap();
    let asked = builder.finish("POST", false, 0).unwrap();
    let body = String::from_utf8(asked.request.body.clone()).unwrap();
    assert_eq!(body, r#"{"a": "", "b": , "": [, ""]}"#);
    let feed = feeders.into_feed();
    let filters: Vec<Filter> = asked
        .template
        .slots
        .iter()
        .map(|slot| match feed.draws[usize::from(slot.draw)] {
            Draw::Value { filter, .. } | Draw::Variable { filter, .. } => filter,
            Draw::Text(_) => panic!("a text"),
        })
        .collect();
    assert_eq!(filters, [Filter::JsonText, Filter::Json, Filter::Raw, Filter::Raw, Filter::Raw]);
}

#[test]
fn a_form_in_one_line_is_encoded() {
    let mut feeders = counter();
    feeders.add_variable("v").unwrap();
    let pairs = [("a b", "é &="), ("n", "x ${n}${v}"), ("n", "")];
    let pairs = pairs.map(|(name, value)| (name.to_string(), value.to_string()));
    let mut builder = Builder::default();
    builder.target(&mut feeders, "/").unwrap();
    builder.body(&mut feeders, &Body::Urlencoded(pairs.to_vec())).unwrap();
    let asked = builder.finish("POST", false, 0).unwrap();
    assert_eq!(String::from_utf8_lossy(&asked.request.body), "a+b=%C3%A9+%26%3D&n=x+&n=");
    assert_eq!(asked.request.headers[0].1, "application/x-www-form-urlencoded");
    let at: Vec<usize> = asked.template.slots.iter().map(|slot| slot.at).collect();
    assert_eq!(at, [22, 22]);
    let nameless = Body::Urlencoded(vec![(String::new(), "x".to_string())]);
    assert_eq!(Builder::default().body(&mut feeders, &nameless), Err(Mistake::UnnamedPart));
    assert!(Builder::default().body(&mut feeders, &Body::Urlencoded(Vec::new())).is_err());
}

#[test]
fn a_value_may_be_all_of_the_path() {
    let mut feeders = counter();
    feeders.add_variable("next").unwrap();
    let target = |feeders: &mut Feeders, text| {
        let mut builder = Builder::default();
        builder.target(feeders, text)?;
        let asked = builder.finish("GET", false, 0)?;
        let at: Vec<usize> = asked.template.slots.iter().map(|slot| slot.at).collect();
        Ok::<_, Mistake>((asked.request.target, at))
    };
    assert_eq!(target(&mut feeders, "${next}"), Ok(("/".to_string(), vec![1])));
    assert_eq!(target(&mut feeders, "${next}&p=${n}"), Ok(("/&p=".to_string(), vec![1, 4])));
    assert_eq!(target(&mut feeders, "/${next}"), Ok(("/".to_string(), vec![1])));
    assert!(target(&mut feeders, "x${next}").is_err());
}
