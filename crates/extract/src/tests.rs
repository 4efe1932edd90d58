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
