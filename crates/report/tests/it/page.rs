//! A page parted into what is read, and what draws.

use serde_json::Value;

const NUMBERS: &str = "<script type=\"application/json\" id=\"charts\">";
const SCRIPT: &str = "<script>";
const END: &str = "</script>";

/// Begins and ends of the numbers of the charts and of their script.
fn parts(page: &str) -> Option<[usize; 4]> {
    let numbers = page.find(NUMBERS)? + NUMBERS.len();
    let numbers_end = numbers + page[numbers..].find(END)?;
    let script = numbers_end + page[numbers_end..].find(SCRIPT)? + SCRIPT.len();
    Some([numbers, numbers_end, script, page.rfind(END)?])
}

/// The page without the numbers of its charts, their script and its digest.
pub fn read_only(page: &str) -> String {
    let policy = page.find("'sha256-").expect("a policy");
    let policy_end = policy + page[policy..].find(';').expect("its end");
    let head = format!("{}'sha256-…'", &page[..policy]);
    match parts(page) {
        Some([numbers, numbers_end, script, script_end]) => {
            [&head, &page[policy_end..numbers], &page[numbers_end..script], &page[script_end..]].concat()
        }
        None => head + &page[policy_end..],
    }
}

/// The charts of a page.
pub fn charts(page: &str) -> Vec<Value> {
    let [numbers, end, ..] = parts(page).expect("charts");
    let document: Value = serde_json::from_str(&page[numbers..end]).expect("JSON");
    document["charts"].as_array().expect("a list").clone()
}
