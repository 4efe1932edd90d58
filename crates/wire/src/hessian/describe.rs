//! Calls and answers for people to read.

use super::tree::Tree;
use super::{v1, v2};

/// The body of a call or of an answer in indented lines, whatever its version and wherever it is cut. Bytes that are
/// neither give one line about that.
pub fn describe(body: &[u8]) -> Vec<String> {
    match body {
        [b'H', major, minor, b'C', rest @ ..] => {
            let mut values = v2::Reader::new(rest);
            let method = values.next().unwrap_or(Tree::Missing);
            // The number of arguments comes before them.
            let arguments = values.skip(1);
            lines(&format!("call of Hessian {major}.{minor}, method {}", head(&method)), arguments)
        }
        [b'H', major, minor, kind @ (b'R' | b'F'), rest @ ..] => {
            lines(&format!("{} of Hessian {major}.{minor}", answer(*kind == b'F')), v2::Reader::new(rest))
        }
        [b'c', major, minor, b'm', rest @ ..] => {
            // The method is a text without its tag; `z` ends the call.
            let named = [b"S", rest.strip_suffix(b"z").unwrap_or(rest)].concat();
            let mut values = v1::Reader::new(&named);
            let method = values.next().unwrap_or(Tree::Missing);
            lines(&format!("call of Hessian {major}.{minor}, method {}", head(&method)), values)
        }
        [b'f', fault @ ..] => lines(answer(true), [v1::Reader::new(fault).pairs()]),
        [b'r', major, minor, b'f', fault @ ..] => {
            lines(&format!("fault of Hessian {major}.{minor}"), [v1::Reader::new(fault).pairs()])
        }
        [b'r', major, minor, rest @ ..] => {
            let values = v1::Reader::new(rest.strip_suffix(b"z").unwrap_or(rest));
            lines(&format!("answer of Hessian {major}.{minor}"), values)
        }
        _ => vec!["(neither a call nor an answer of Hessian)".to_owned()],
    }
}

fn answer(fault: bool) -> &'static str {
    if fault { "fault" } else { "answer" }
}

fn head(tree: &Tree) -> String {
    tree.describe().swap_remove(0)
}

fn lines(title: &str, values: impl IntoIterator<Item = Tree>) -> Vec<String> {
    let values = values.into_iter().flat_map(|value| value.describe()).map(|line| format!("  {line}"));
    std::iter::once(title.to_owned()).chain(values).collect()
}
