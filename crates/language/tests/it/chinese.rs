//! Typesetting of Chinese: punctuation of full width, a space between Latin and Chinese, and never *no
//! difference*.

use crate::catalogue::messages;
use proofload_language::CHINESE_FILES;

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// Faults of a text.
fn wrong(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let pairs = chars.windows(2).filter_map(|pair| {
        let (a, b) = (pair[0], pair[1]);
        match (is_chinese(a), is_chinese(b)) {
            (true, _) if ",;:.!?()".contains(b) => Some(format!("{a}{b} is not of full width")),
            (_, true) if ",;:.!?()".contains(a) => Some(format!("{a}{b} is not of full width")),
            (true, false) if b.is_ascii_alphanumeric() => Some(format!("no space in {a}{b}")),
            (false, true) if a.is_ascii_alphanumeric() => Some(format!("no space in {a}{b}")),
            _ => None,
        }
    });
    let never = ["没有差异", "无差异", "没有区别", "无区别", "没有不同"]
        .into_iter()
        .filter(|word| text.contains(word));
    pairs.chain(never.map(ToString::to_string)).collect()
}

#[test]
fn chinese_is_set_as_chinese() {
    let (chinese, _) = messages(CHINESE_FILES);
    let found: Vec<String> = chinese
        .iter()
        .flat_map(|(id, message)| wrong(&message.text).into_iter().map(move |what| format!("{id}: {what}")))
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn what_is_set_badly_is_found() {
    assert_eq!(wrong("吞吐量,延迟").len(), 2, "from either side");
    assert_eq!(wrong("p99 与p50"), ["no space in 与p"]);
    assert_eq!(wrong("两者无差异"), ["无差异"]);
    assert_eq!(wrong("p99 与 p50，相差 5 %"), Vec::<String>::new());
}
