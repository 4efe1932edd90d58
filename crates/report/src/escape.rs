//! Making text harmless where it is shown. Names and answers come from strangers.

/// For a terminal: control characters (C0, DEL, C1) and those that reorder text become visible escapes; line
/// breaks and tabs stay.
pub fn terminal(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// For one line of a terminal: as [`terminal`], and line breaks become visible too.
pub fn line(text: &str) -> String {
    escape(text, |c| c == '\t')
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if (c.is_control() && !keep(c)) || reorders(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Bidirectional controls and invisible marks, which can make a text read as another (Unicode TR 36).
fn reorders(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Bytes that a server sent, for people: control characters except line ends and tabs as escapes that programmers
/// write, `\r` and `\x1B`. A line end of HTTP is a `\r` and a new line.
pub fn received(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// An argument as a shell reads it, on one line.
pub fn shell(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c);
    match !argument.is_empty() && argument.chars().all(plain) {
        true => argument.to_string(),
        false => format!("'{}'", line(argument).replace('\'', "'\\''")),
    }
}

/// For HTML text and quoted attributes.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line_breaks_kept(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn line_breaks_kept(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// For Markdown, inside paragraphs and table cells: every character that begins markup is escaped, line breaks
/// become blanks.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape(text, |c| matches!(c, '\n' | '\t')).chars() {
        match c {
            '\n' | '\t' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Blocks that a forge would turn into a mention of a person or an issue.
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// For Markdown at the start of a line: as [`markdown`], and nothing begins a list, a heading or a rule.
pub fn markdown_line(text: &str) -> String {
    let text = markdown(text.trim_start());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].chars().next() {
        Some('.' | ')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        Some('-' | '+' | '=' | ':') if digits == 0 => format!("\\{text}"),
        _ => text,
    }
}

/// For JSON that may be looked at in a terminal: the control characters that JSON allows in its texts, and those that
/// reorder text, as escapes of JSON. Takes a whole document: such characters occur only in its texts.
pub fn json(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    for c in document.chars() {
        if (c.is_control() && c != '\n') || reorders(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// For JSON within an element of a page: nothing of it can end the element, begin a comment, or be taken for markup.
pub fn json_in_html(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    for c in json(document).chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// For XML 1.0, in text and in quoted attributes: markup is escaped, and what XML forbids altogether (most control
/// characters, two noncharacters) becomes a visible escape. In attributes line breaks would become blanks.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line_breaks_kept(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// A field of CSV (RFC 4180) that holds text of strangers: what a spreadsheet would take for a formula gets an
/// apostrophe in front, control characters become visible.
pub fn csv(text: &str) -> String {
    let text = line_breaks_kept(text);
    // Blanks before the sign are skipped by some programs.
    let formula =
        text.trim_start_matches([' ', '\t', '\n']).starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let text = if formula || text.starts_with(['\t', '\n']) { format!("'{text}") } else { text };
    match text.contains(['"', ',', '\n', '\t', '\'', ';']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// A tag of a histogram log, which ends at a comma, a blank or a line end: other bytes than those of plain names
/// become `%XX`.
pub fn tag(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'.'
            | b'_'
            | b'-'
            | b':'
            | b'/'
            | b'@'
            | b'+'
            | b'=' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "<script>alert('x')</script>\u{1b}[2J\u{9b}31m|`*_[a](b)![i](j)\u{202e}evil\"&\r\n@you #1";

    #[test]
    fn no_control_sequence_reaches_a_terminal() {
        let shown = terminal(HOSTILE);
        assert!(shown.chars().all(|c| !c.is_control() || c == '\n'), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
        assert!(!line(HOSTILE).contains('\n'));
        assert_eq!(terminal("a\tb\n连"), "a\tb\n连");
    }

    #[test]
    fn no_tag_and_no_quote_reaches_html() {
        let shown = html(HOSTILE);
        assert!(!shown.contains(['<', '>', '"', '\'', '\u{1b}', '\u{202e}']), "{shown}");
        assert!(shown.starts_with("&lt;script&gt;"));
    }

    #[test]
    fn what_a_server_sent_has_the_escapes_that_programmers_write() {
        assert_eq!(
            received("HTTP/1.1 200 OK\r\n\0\u{1b}[2J\u{9b}\ta"),
            "HTTP/1.1 200 OK\\r\n\\x00\\x1B[2J\\x9B\ta"
        );
    }

    #[test]
    fn no_markup_is_left_in_markdown() {
        let shown = markdown(HOSTILE);
        assert!(!shown.contains(['<', '\n', '\r', '@', '\u{1b}']), "{shown}");
        for (at, c) in shown.char_indices() {
            if "|`*_[]!".contains(c) {
                assert_eq!(&shown[at - 1..at], "\\", "unescaped {c} in {shown}");
            }
        }
    }
}
