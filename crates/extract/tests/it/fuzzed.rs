//! Body of the fuzz target, and its law over the seeds.

use proofload_extract::{Finder, Found, Pick, Schema, Selector};

/// An expression, and behind a NUL the text that is searched; both are also a schema and what it is held against.
pub fn extract(input: &[u8]) {
    let end = input.iter().position(|byte| *byte == 0).unwrap_or(input.len());
    let (expression, text) = (String::from_utf8_lossy(&input[..end]), &input[(end + 1).min(input.len())..]);
    let css = |attribute: Option<&str>| {
        let attribute = attribute.map(str::to_string);
        Selector::Css { selector: expression.to_string(), attribute }
    };
    let plain: [fn(String) -> Selector; 3] = [Selector::JsonPath, Selector::Regex, Selector::XPath];
    let plain = plain.map(|language| language(expression.to_string()));
    for selector in plain.into_iter().chain([css(None), css(Some("href"))]) {
        let Ok(finder) = Finder::new(&selector) else { continue };
        for pick in [Pick::Nth(1), Pick::Nth(2), Pick::Last, Pick::Any, Pick::Count] {
            let mut out = Vec::new();
            let found = finder.find(text, pick, input.len() as u64, &mut out);
            assert!(found == Found::Yes || out.is_empty(), "{selector:?}");
            assert!(found != Found::No || pick != Pick::Count, "{selector:?}");
        }
    }
    if let Ok(schema) = Schema::new(&expression)
        && let Err(wrong) = schema.check(text)
    {
        assert!(wrong.chars().count() < 400, "{wrong}");
    }
}
