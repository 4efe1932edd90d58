use super::*;
use proptest::prelude::*;

fn get(selector: &Selector, pick: Pick, text: &str) -> Option<String> {
    let finder = Finder::new(selector).unwrap_or_else(|error| panic!("{selector:?}: {error}"));
    let mut out = Vec::new();
    match finder.find(text.as_bytes(), pick, 5, &mut out) {
        Found::Yes => Some(String::from_utf8(out).unwrap()),
        found => {
            assert!(out.is_empty());
            assert_eq!(found, Found::No);
            None
        }
    }
}

fn json(path: &str, text: &str) -> Option<String> {
    get(&Selector::JsonPath(path.into()), Pick::default(), text)
}

#[test]
fn values_of_json() {
    let text = r#"{"a":{"b":"x\ty"},"items":[{"id":7},{"id":8.5}],"n":null,"o":{"k":[1,"2"]}}"#;
    assert_eq!(json("$.a.b", text).unwrap(), "x\ty");
    assert_eq!(json("$.items[1].id", text).unwrap(), "8.5");
    assert_eq!(json("$.items[-1].id", text).unwrap(), "8.5");
    assert_eq!(json("$['o']", text).unwrap(), r#"{"k":[1,"2"]}"#);
    assert_eq!(json("$.n", text).unwrap(), "null");
    assert_eq!(json("$.items[2].id", text), None);
    assert_eq!(json("$.items[?@.id > 8].id", text).unwrap(), "8.5");
    assert_eq!(json("$.items[?search('abc', 'b')].id", text).unwrap(), "7");
    assert_eq!(json("$.items[?match('abc', 'b')].id", text), None);
}

const PAGE: &str = r#"<!DOCTYPE html><html><head><title>A &amp; B</title><script>if (a<b) "<p>no</p>"</script></head><body>
<form id=f action="/go?x=1&amp;y=2"><INPUT TYPE=hidden name="_csrf" value='t&quot;1'><input name=user></form>
<ul class="nav big"><li>one<li class=on>two<li><a href="/3">three</a></ul>
<table><tr><td>1<td>2<tr><td>3<td>4</table><p>first<p>second<br>line<div>after</div><!-- p --></p></body>"#;

fn css(selector: &str, attribute: Option<&str>, pick: Pick) -> Option<String> {
    get(&Selector::Css { selector: selector.into(), attribute: attribute.map(str::to_string) }, pick, PAGE)
}

#[test]
fn values_of_a_page() {
    let first = |selector| css(selector, None, Pick::default());
    let count = |selector| css(selector, None, Pick::Count).unwrap();
    assert_eq!(css("input[name=_csrf]", Some("value"), Pick::default()).unwrap(), "t\"1");
    assert_eq!(css("INPUT[type=\"hidden\"]", Some("VALUE"), Pick::default()).unwrap(), "t\"1");
    assert_eq!(css("input", Some("value"), Pick::Nth(2)), None, "only those that have it count");
    assert_eq!(css("#f", Some("action"), Pick::default()).unwrap(), "/go?x=1&y=2");
    assert_eq!(first("title").unwrap(), "A & B");
    assert_eq!(first("ul.nav.big > li.on").unwrap(), "two");
    assert_eq!(first("li.on + li").unwrap(), "three");
    assert_eq!(first("li:not(.on):not(:first-child) a").unwrap(), "three");
    assert_eq!(first(".na"), None);
    assert_eq!(first("li:nth-child(2)").unwrap(), "two");
    assert_eq!(first("li:last-of-type").unwrap(), "three");
    assert_eq!(first("tr:nth-child(2) td:nth-child(odd)").unwrap(), "3");
    assert_eq!(first("form ~ p").unwrap(), "first");
    assert_eq!(first("p:nth-of-type(n+2)").unwrap(), "secondline");
    assert_eq!(first("[href^='/'][href$=\"3\"][href*=\"3\"]").unwrap(), "three");
    assert_eq!(count("li, td"), "7");
    assert_eq!(count("p"), "2", "a script is text");
    assert_eq!(count("p div"), "0", "a div ends a paragraph");
    assert_eq!(count("li:nth-child(-n+2)"), "2");
    assert_eq!(count("*:not(li):not([class])"), "20");
}

proptest! {
    /// Paths that are followed while the text is read find what the library finds in the tree.
    #[test]
    fn plain_paths_find_what_the_library_finds(value in tree(), steps in prop::collection::vec(step(), 0..4)) {
        let path = format!("${}", steps.concat());
        prop_assert!(json::plain(&path).is_some());
        let library = serde_json_path::JsonPath::parse(&path).unwrap();
        let text = value.0;
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let expected = library.query(&value).all().first().map(|value| match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        prop_assert_eq!(json(&path, &text), expected, "{} in {}", path, text);
    }
}

/// JSON as text, with names that come twice.
#[derive(Clone, Debug)]
struct Text(String);

fn tree() -> impl Strategy<Value = Text> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.50",
        "1e3",
        "true",
        "null",
        r#""é\n\"x""#,
        "{}",
        "[]",
        "18446744073709551616",
    ]);
    let leaf = leaf.prop_map(|text| Text(text.to_string()));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let pair = (prop::sample::select(vec!["a", "b", "0", "\\u0061"]), inner.clone());
        let object = prop::collection::vec(pair, 0..4).prop_map(|pairs| {
            let pairs: Vec<String> =
                pairs.iter().map(|(key, value)| format!("\"{key}\": {}", value.0)).collect();
            Text(format!("{{{}}}", pairs.join(" , ")))
        });
        let list = prop::collection::vec(inner, 0..4).prop_map(|items| {
            Text(format!("[{}]", items.into_iter().map(|item| item.0).collect::<Vec<_>>().join(",")))
        });
        prop_oneof![object, list]
    })
}

fn step() -> impl Strategy<Value = String> {
    prop::sample::select(vec![".a", ".b", "['a']", "[\"b\"]", "['0']", "[0]", "[1]", "[3]"])
        .prop_map(str::to_string)
}

fn xpath(expression: &str, text: &str) -> Option<String> {
    get(&Selector::XPath(expression.into()), Pick::default(), text)
}

#[test]
fn values_of_xml() {
    let text = r#"<?xml version="1.0"?><s:Envelope xmlns:s="urn:s" xmlns="urn:d"><s:Body><Id n='1' s:n="2"> 4<![CDATA[2]]></Id>
        <Id>43<!-- x --></Id></s:Body></s:Envelope>"#;
    assert_eq!(xpath("//Id", text).unwrap(), " 42");
    assert_eq!(xpath("/s:Envelope/s:Body/Id[2]", text).unwrap(), "43");
    assert_eq!(xpath("/Envelope/Body/Id/@n", text).unwrap(), "1");
    assert_eq!(xpath("//@s:n", text).unwrap(), "2");
    assert_eq!(xpath("//t:Body", text), None);
    assert_eq!(xpath("//id", text), None, "XML keeps case");
    assert_eq!(xpath("count(//Id) + 1", text).unwrap(), "3");
    assert_eq!(xpath("local-name(/*)", text).unwrap(), "Envelope");
    assert_eq!(xpath("//Id[2]/preceding-sibling::*/text()", text).unwrap(), " 42");
    assert_eq!(xpath("//input[@name='_csrf']/@value", PAGE).unwrap(), "t\"1", "of HTML too");
    assert_eq!(xpath("normalize-space(//ul/li[last()])", PAGE).unwrap(), "three");
}

#[test]
fn groups_of_patterns() {
    let find = |pattern: &str, pick| get(&Selector::Regex(pattern.into()), pick, "id=17; id=18; name=é");
    assert_eq!(find(r"id=(\d+)", Pick::default()).unwrap(), "17");
    assert_eq!(find(r"id=(\d+)", Pick::Last).unwrap(), "18");
    assert_eq!(find(r"id=\d+", Pick::Nth(2)).unwrap(), "id=18");
    assert_eq!(find(r"id=(\d+)", Pick::Nth(3)), None);
    assert_eq!(find(r"id=(\d+)", Pick::Nth(0)), None);
    assert_eq!(find(r"id=(\d+)|name=.", Pick::Last).unwrap(), "name=é");
    assert_eq!(find(r"(?i)\bNAME=(É)", Pick::default()).unwrap(), "é");
    assert_eq!(find(r"\d", Pick::Count).unwrap(), "4");
    assert_eq!(find(r"x", Pick::Count).unwrap(), "0");
    assert_eq!(find(r"id=(\d+)", Pick::Any).unwrap(), "18", "5 of 2 is the second");
    assert_eq!(find(r"x", Pick::Any), None);
}

#[test]
fn picks_are_the_same_in_every_language() {
    let cases = [
        (Selector::JsonPath("$[*]".into()), r#"["a","b","c"]"#),
        (Selector::Regex("[abc]".into()), "a b c"),
        (Selector::Css { selector: "b".into(), attribute: None }, "<b>a</b><b>b</b><b>c</b>"),
        (Selector::XPath("/r/*".into()), "<r><x>a</x><y>b</y><x>c</x></r>"),
    ];
    for (selector, text) in cases {
        let picked = |pick| get(&selector, pick, text);
        let all = [Pick::Nth(1), Pick::Nth(3), Pick::Last, Pick::Any, Pick::Count]
            .map(|pick| picked(pick).unwrap());
        assert_eq!(all, ["a", "c", "c", "c", "3"], "{selector:?}");
        assert_eq!(picked(Pick::Nth(4)), None);
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let find = |selector: &Selector, text: &[u8]| {
        Finder::new(selector).unwrap().find(text, Pick::Count, 0, &mut Vec::new())
    };
    for path in ["$.a", "$..a"] {
        let path = Selector::JsonPath(path.into());
        for text in [&b""[..], b"<html>", b"{\"a\":1", b"{\"a\":1}}", b"{\"a\":\"\xff\"}"] {
            assert!(matches!(find(&path, text), Found::Unreadable(_)), "{path:?} {text:?}");
        }
        assert_eq!(find(&path, b" {\"a\":1} "), Found::Yes);
    }
    assert_eq!(find(&Selector::XPath("//a".into()), b"\xff no markup"), Found::Yes);
}

#[test]
fn faults_of_expressions_have_places() {
    let cases = [
        (Selector::JsonPath("$.a[".into()), Some(2)),
        (Selector::JsonPath("$..a..b..c".into()), Some(7)),
        (Selector::JsonPath("$[?foo(@)]".into()), Some(2)),
        (Selector::Regex("a(".into()), None),
        (Selector::Regex("(a{999}){999}".into()), None),
        (Selector::XPath("//a[".into()), Some(4)),
        (Selector::XPath("//a[foo()]".into()), Some(4)),
        (Selector::XPath("$x".into()), Some(1)),
        (Selector::XPath("1+".repeat(201) + "1"), None),
        (Selector::Css { selector: "a >".into(), attribute: None }, Some(3)),
        (Selector::Css { selector: "a::before".into(), attribute: None }, Some(2)),
        (Selector::Css { selector: "a:hover".into(), attribute: None }, Some(1)),
        (Selector::Css { selector: "a,,b".into(), attribute: None }, Some(2)),
        (Selector::Css { selector: "[a='b]".into(), attribute: None }, Some(3)),
        (Selector::Css { selector: "a".into(), attribute: Some("b]".into()) }, Some(1)),
        (Selector::XPath("(".repeat(13)), Some(12)),
        (Selector::Regex("a".repeat(2_001)), Some(2_000)),
    ];
    for (selector, at) in cases {
        let error = Finder::new(&selector).map(|_| ()).unwrap_err();
        assert_eq!(error.at, at, "{selector:?}: {error}");
        assert!(!error.what.is_empty());
    }
}

/// Answers that are made to be slow or deep: each search ends, whatever it finds.
fn hostile(long: usize, selectors: &[Selector]) {
    let fill = |text: &str| text.repeat(long / text.len());
    let many =
        |text: &str| (0..long / 16).map(|number| text.replace('#', &number.to_string())).collect::<String>();
    let mut texts: Vec<String> = [
        "[",
        "{\"a\":",
        "[]",
        "<a>",
        "<a/>",
        "<a></b>",
        "<p><b>",
        "<table><td>",
        "<!--",
        "&amp;",
        "<",
        "A",
        "<a b='",
        "<svg><script>",
        "</a",
        "\0",
    ]
    .map(fill)
    .into();
    texts.extend([
        format!("[{}0]", fill("0,")),
        format!("<r>{}</r>", fill("<a/>")),
        format!("{}{}", fill("<a>"), fill("</a>")),
        format!("<a {}>", fill("a ")),
        format!("<a {}/>", many("a#='' ")),
        format!("<a {}/>", many("xmlns:a#='' ")),
        format!("<!DOCTYPE a [<!ENTITY a '{}'>]><a>{}</a>", fill("&b;"), fill("&a;")),
    ]);
    for selector in selectors {
        let finder = Finder::new(selector).unwrap();
        for text in &texts {
            let mut out = Vec::new();
            let found = finder.find(text.as_bytes(), Pick::Last, 0, &mut out);
            assert!(out.len() <= text.len(), "{selector:?} {found:?}");
        }
    }
}

#[test]
fn hostile_answers_are_searched() {
    let plain = [
        Selector::JsonPath("$[0][0].a".into()),
        Selector::JsonPath("$..a".into()),
        Selector::Regex("(a|b|ab)*c".into()),
        Selector::XPath("//a[@a]".into()),
        Selector::Css { selector: "p b".into(), attribute: None },
    ];
    hostile(64 * 1024, &plain);
    hostile(2 * 1024, &costly());
}

#[test]
#[ignore = "full: a minute of searches that multiply"]
fn hostile_answers_are_searched_however_long() {
    hostile(64 * 1024, &costly());
}

fn costly() -> [Selector; 8] {
    [
        Selector::JsonPath("$..*..*".into()),
        Selector::JsonPath("$[?@ == 1 || search(@, 'a')]".into()),
        Selector::Regex("(?:A{0,30}){0,30}x".into()),
        Selector::XPath("//a//a//a".into()),
        Selector::XPath("//*[count(.//*) > 3]/following::*".into()),
        Selector::XPath("//a[. = //a]".into()),
        Selector::XPath("//a[preceding-sibling::a and string-length(.) > 1]/ancestor::*/@*".into()),
        Selector::Css {
            selector: "a a ~ a > a, a:nth-last-child(2n+1):not(b)".into(),
            attribute: Some("a".into()),
        },
    ]
}

fn breaks(schema: &str, text: &str) -> Option<String> {
    Schema::new(schema).unwrap_or_else(|error| panic!("{error}")).check(text.as_bytes()).err()
}

/// Each keyword at its boundary: the first text is of the schema, the second is not.
#[test]
fn keywords_of_schemas() {
    let cases = [
        (r#"{"type":"integer"}"#, "4.0", "4.5"),
        (r#"{"type":["string","null"]}"#, "null", "1"),
        (r#"{"type":"number","minimum":3,"maximum":4}"#, "3", "4.1"),
        (r#"{"exclusiveMinimum":3}"#, "3.1", "3"),
        (r#"{"exclusiveMaximum":3}"#, "2.9", "3"),
        (r#"{"multipleOf":0.5}"#, "1.5", "1.6"),
        (r#"{"minLength":2}"#, r#""éé""#, r#""é""#),
        (r#"{"maxLength":2}"#, r#""éé""#, r#""ééé""#),
        (r#"{"pattern":"^\\d+$"}"#, r#""12""#, r#""1x""#),
        (r#"{"enum":[1,{"a":1,"b":2}]}"#, r#"{"b":2.0,"a":1}"#, "2"),
        (r#"{"const":[1]}"#, "[1.0]", "[1,1]"),
        (r#"{"minItems":1,"maxItems":2}"#, "[1,2]", "[1,2,3]"),
        (r#"{"uniqueItems":true}"#, r#"[1,"1"]"#, "[1,1.0]"),
        (r#"{"items":{"type":"string"}}"#, r#"["a"]"#, r#"["a",1]"#),
        (r#"{"prefixItems":[{"const":1}],"items":false}"#, "[1]", "[1,2]"),
        (r#"{"items":[{"const":1}]}"#, "[1,2]", "[2]"),
        (r#"{"contains":{"const":1},"maxContains":1}"#, "[0,1]", "[1,1]"),
        (r#"{"contains":{"const":1}}"#, "[1]", "[]"),
        (r#"{"required":["a"]}"#, r#"{"a":null}"#, "{}"),
        (r#"{"properties":{"a":{"type":"string"}}}"#, "{}", r#"{"a":1}"#),
        (
            r#"{"properties":{"a":true},"patternProperties":{"^x":{"const":1}},"additionalProperties":false}"#,
            r#"{"a":2,"x1":1}"#,
            r#"{"b":1}"#,
        ),
        (r#"{"patternProperties":{"^x":{"const":1}}}"#, r#"{"y":2}"#, r#"{"x":2}"#),
        (r#"{"propertyNames":{"maxLength":1}}"#, r#"{"a":1}"#, r#"{"ab":1}"#),
        (r#"{"minProperties":1,"maxProperties":1}"#, r#"{"a":1}"#, "{}"),
        (r#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "2", "3"),
        (r#"{"anyOf":[{"const":1},{"const":2}]}"#, "2", "3"),
        (r#"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "1", "2"),
        (r#"{"not":{"type":"null"}}"#, "1", "null"),
        (r#"{"if":{"minimum":5},"then":{"maximum":6},"else":{"const":1}}"#, "6", "2"),
        (
            r##"{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}},"required":["v"]}}}"##,
            r#"{"v":1,"next":{"v":2}}"#,
            r#"{"v":1,"next":{}}"#,
        ),
        (r#"{"x-note":1,"format":"uuid","title":"t"}"#, r#""no""#, "{"),
        ("true", "1", ""),
    ];
    for (schema, good, bad) in cases {
        assert_eq!(breaks(schema, good), None, "{schema}");
        assert!(breaks(schema, bad).is_some(), "{schema} {bad}");
    }
}

#[test]
fn what_breaks_a_schema_has_a_place() {
    let schema =
        r#"{"properties":{"items":{"items":{"properties":{"id":{"type":"integer"}},"required":["id"]}}}}"#;
    assert_eq!(
        breaks(schema, r#"{"items":[{"id":1},{"id":"x"}]}"#).unwrap(),
        r#"/items/1/id: "x" breaks type "integer""#
    );
    assert_eq!(breaks(schema, r#"{"items":[{}]}"#).unwrap(), "/items/0: id is missing");
    let long = format!(r#"{{"items":[{{"id":"{}"}}]}}"#, "é".repeat(5_000));
    assert!(breaks(schema, &long).unwrap().chars().count() < 200);
    assert_eq!(breaks("false", "1").unwrap(), "/: nothing may be here");
}

#[test]
fn schemas_that_are_not_understood_are_refused() {
    let cases = [
        ("{", "it is no JSON: EOF"),
        ("1", "/: it is neither"),
        (r##"{"properties":{"a":{"$ref":"#/x"}}}"##, "/properties/a/$ref: only places"),
        (r#"{"$ref":"https://example.org/s"}"#, "/$ref: only places"),
        (r#"{"items":{"unevaluatedItems":false}}"#, "/items/unevaluatedItems: this keyword"),
        (r#"{"type":"int"}"#, "/type: its value"),
        (r#"{"pattern":"("}"#, "/pattern: regex parse error"),
        (r#"{"minLength":-1}"#, "/minLength: it is no number"),
        (r#"{"exclusiveMinimum":true}"#, "/exclusiveMinimum: it is no number"),
        (r#"{"anyOf":{}}"#, "/anyOf: it is no list"),
    ];
    for (schema, said) in cases {
        let error = Schema::new(schema).unwrap_err().to_string();
        assert!(error.starts_with(said), "{schema}: {error}");
    }
}

/// References that would take for ever, or all of the stack.
#[test]
fn schemas_that_multiply_end() {
    let deep = |open: &str, close: &str, many: usize| format!("{}0{}", open.repeat(many), close.repeat(many));
    let double = r##"{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}},"not":{"const":0}}"##;
    assert!(breaks(double, &deep("{\"a\":", "}", 60)).unwrap().contains("checks"));
    assert!(breaks(r##"{"$ref":"#"}"##, "1").unwrap().contains("checks"));
    assert!(breaks(r##"{"not":{"$ref":"#"}}"##, "1").unwrap().contains("checks"));
    assert!(breaks(r##"{"items":{"$ref":"#"}}"##, &deep("[", "]", 20_000)).unwrap().contains("no JSON"));
    assert_eq!(breaks(r##"{"items":{"$ref":"#"}}"##, &deep("[", "]", 120)), None);
    assert_eq!(
        breaks(
            r#"{"uniqueItems":true}"#,
            &format!("[{}]", (0..12_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","))
        ),
        None
    );
}

/// Expressions at their limits: parsers and evaluators have a stack of 2 MiB here.
#[test]
fn expressions_at_their_limits() {
    let nested =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(12), close.repeat(12));
    let text = "<a><b>1</b></a>";
    for expression in [
        nested("(", "1", ")"),
        nested("//a[", "1", "]"),
        "-".repeat(1_999) + "1",
        vec!["1"; 1_000].join("+"),
        vec!["a"; 1_000].join("|"),
        "/".repeat(2_000),
        vec!["a"; 1_000].join("/"),
        nested("not(", "a", ")"),
    ] {
        if let Ok(finder) = Finder::new(&Selector::XPath(expression)) {
            finder.find(text.as_bytes(), Pick::Count, 0, &mut Vec::new());
        }
    }
    for path in [
        format!("$[?{}]", nested("(", "@.a", ")").split_at(1).1.strip_suffix(')').unwrap()),
        nested("$[?$", "", "]"),
        nested("$[?@", "", "]"),
        format!("$[?{}]", "!".repeat(1_990)),
        format!("$[?{}]", vec!["@"; 600].join("||")),
        format!("$[?{}@{}]", "length(".repeat(11), ")".repeat(11)),
        format!("$[?{}", "(".repeat(11)),
        "[".repeat(12),
        "[0]".repeat(600),
    ] {
        if let Ok(finder) = Finder::new(&Selector::JsonPath(path)) {
            finder.find(b"[1]", Pick::Count, 0, &mut Vec::new());
        }
    }
    for css in [
        nested(":not(", "a", ")"),
        "a>".repeat(999) + "a",
        "a,".repeat(999) + "a",
        "a ~ ".repeat(499) + "a",
        ".a".repeat(1_000),
        "[a]".repeat(600),
    ] {
        if let Ok(finder) = Finder::new(&Selector::Css { selector: css, attribute: None }) {
            finder.find(text.as_bytes(), Pick::Count, 0, &mut Vec::new());
        }
    }
}
