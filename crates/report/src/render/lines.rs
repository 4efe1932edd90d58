//! Lines of a terminal: their width, their colours, and how they break.

use crate::shown::Tone;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Device that the text is drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// True if it has colours, and they are wanted.
    pub colour: bool,
    /// Width; no line is wider.
    pub columns: usize,
}

/// Meaning of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Good,
    Bad,
    Open,
    Bold,
    Dim,
    Picture,
}

impl From<Tone> for Colour {
    fn from(tone: Tone) -> Colour {
        match tone {
            Tone::Good => Colour::Good,
            Tone::Open => Colour::Open,
            Tone::Bad => Colour::Bad,
        }
    }
}

impl Terminal {
    /// A file, which has no edge.
    pub(super) const FILE: Terminal = Terminal { colour: false, columns: usize::MAX };

    /// The text in a colour, where the terminal has colours.
    pub(super) fn paint(self, colour: impl Into<Colour>, text: &str) -> String {
        let code = match colour.into() {
            Colour::Good => 32,
            Colour::Bad => 31,
            Colour::Open => 33,
            Colour::Bold => 1,
            Colour::Dim => 2,
            Colour::Picture => 36,
        };
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }
}

/// A stranger's text as part of a line. A tab would move the cursor by more than the column that it is counted as.
pub(super) fn shown(text: &str) -> String {
    crate::escape::line(text).replace('\t', " ")
}

/// Text padded with spaces to `columns`.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Text cut to `columns`; an ellipsis marks the cut.
pub(super) fn clipped(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_string();
    }
    let mut out = String::new();
    let mut width = 0;
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width + 1 > columns {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

/// Text broken at spaces, and between Chinese characters, into lines of at most `columns`, with `indent` spaces before
/// all but the first. A word that is longer than a line, a path for one, is broken where the line ends.
pub(super) fn wrapped(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let columns = columns.max(indent + 8);
    let mut lines = vec![String::new()];
    for (word, is_apart) in words(text) {
        let last = lines.len() - 1;
        let is_begun = !lines[last].trim_start().is_empty();
        let needed = lines[last].width() + usize::from(is_begun && is_apart) + word.width();
        if needed <= columns {
            if is_apart && (is_begun || word.is_empty()) {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
            continue;
        }
        if is_begun {
            lines.push(" ".repeat(indent));
        }
        for c in word.chars() {
            let last = lines.len() - 1;
            if lines[last].width() + c.width().unwrap_or(0) > columns {
                lines.push(" ".repeat(indent));
            }
            let last = lines.len() - 1;
            lines[last].push(c);
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

/// Pieces of a line that stay together, each with true if a space precedes it: words, single Chinese characters, and
/// with each the punctuation that no line may begin or end with.
pub(super) fn words(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for word in text.split(' ') {
        let mut from = 0;
        let mut before: Option<char> = None;
        for (at, c) in word.char_indices() {
            if at > from && before.is_some_and(|before| parts(before, c)) {
                found.push((&word[from..at], from == 0));
                from = at;
            }
            before = Some(c);
        }
        found.push((&word[from..], from == 0));
    }
    found
}

/// True if a line may break between two characters without a space.
fn parts(before: char, after: char) -> bool {
    let is_chinese =
        |c: char| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ff60}' | '“' | '”' | '…');
    let opens = |c: char| "（“《［「".contains(c);
    let closes = |c: char| "，。；：、）”》］」！？…".contains(c);
    (is_chinese(before) || is_chinese(after)) && !opens(before) && !closes(after)
}

/// Rows in columns with two spaces between, those of text to the left and numbers to the right; `None` where that is
/// wider than `columns`.
pub(super) fn aligned(
    rows: &[Vec<String>],
    columns: usize,
    is_text: impl Fn(usize) -> bool,
) -> Option<Vec<String>> {
    let width =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first()?.len()).map(width).collect();
    let whole = widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(2);
    let drawn = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match is_text(at) {
            true => padded(cell, *width),
            false => format!("{}{cell}", " ".repeat(width.saturating_sub(cell.width()))),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    (whole <= columns).then(|| rows.iter().map(drawn).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_break_at_spaces_and_long_words_at_the_edge() {
        assert_eq!(wrapped("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(wrapped("abcdefghijklmnop", 10, 2), ["abcdefghij", "  klmnop"]);
        assert_eq!(wrapped("", 80, 2), [""]);
        let text = "服务器 比较 慢一点 很多";
        assert!(wrapped(text, 10, 0).iter().all(|line| line.width() <= 10));
    }

    #[test]
    fn chinese_breaks_between_characters_and_no_line_begins_with_a_comma() {
        assert_eq!(wrapped("分辨力为，大约", 8, 0), ["分辨力", "为，大约"]);
        assert_eq!(wrapped("（区间）的 p99", 8, 0), ["（区间）", "的 p99"]);
        assert_eq!(wrapped("用时 48 秒，轮流", 10, 2), ["用时 48", "  秒，轮流"]);
        let sentence = "区间容许两种结论；分辨力为 ±1.84 %；大约再做 233 次重启即可判定（就本场次而言）。";
        for columns in 12..60 {
            let lines = wrapped(sentence, columns, 2);
            assert!(lines.iter().all(|line| line.width() <= columns), "{columns}: {lines:?}");
            let bad = |line: &String| {
                line.trim_start().starts_with(['，', '；', '。', '）']) || line.ends_with('（')
            };
            assert!(!lines.iter().any(bad), "{columns}: {lines:?}");
        }
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!((clipped("abc", 3), clipped("abcd", 3)), ("abc".to_string(), "ab…".to_string()));
        assert!(clipped("连接器连接器", 5).width() <= 5);
    }
}
