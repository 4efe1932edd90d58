//! The place of the live view at the end of a terminal. Lines that stay are put above it, and at its end nothing of it
//! is left. It moves the cursor from where it is, and asks the terminal nothing: an answer may never come.

use super::ansi::{self, Line};
use super::canvas::Buffer;
use std::io::Write;

/// The window, and its output.
pub struct Window<W: Write> {
    out: W,
    coloured: bool,
    /// Lines above the one with the cursor.
    shown: Vec<Line>,
    /// Width of the terminal then.
    columns: u16,
}

impl<W: Write> Window<W> {
    /// A window with nothing in it.
    pub fn new(out: W, coloured: bool) -> Self {
        Window { out, coloured, shown: Vec::new(), columns: 0 }
    }

    /// Shows a buffer, which is narrower than the terminal and has fewer lines, in place of what is shown.
    pub fn draw(&mut self, buffer: &Buffer, columns: u16) {
        let lines = ansi::lines(buffer, self.coloured);
        let mut sent = self.back(columns);
        if columns != self.columns {
            sent.push_str("\u{1b}[J");
            self.shown.clear();
            self.columns = columns;
        }
        for (at, line) in lines.iter().enumerate() {
            // A line that is still right is not sent again.
            if self.shown.get(at) != Some(line) {
                sent.push_str(&line.text);
                sent.push_str("\u{1b}[K");
            }
            sent.push_str("\r\n");
        }
        if self.shown.len() > lines.len() {
            sent.push_str("\u{1b}[J");
        }
        self.shown = lines;
        self.send(&sent);
    }

    /// Puts a line above the window, where it stays. What is sent must be fit for a terminal.
    pub fn say(&mut self, line: &str, columns: u16) {
        let mut sent = self.back(columns);
        sent.push_str("\u{1b}[J");
        sent.push_str(line);
        sent.push_str("\r\n");
        for line in &self.shown {
            sent.push_str(&line.text);
            sent.push_str("\r\n");
        }
        self.columns = columns;
        self.send(&sent);
    }

    pub fn clear(&mut self) {
        if !self.shown.is_empty() {
            let sent = self.back(self.columns) + "\u{1b}[J";
            self.shown.clear();
            self.send(&sent);
        }
    }

    /// To the first column of the first line. A terminal that became narrower has broken the lines that were wider.
    fn back(&self, columns: u16) -> String {
        let rows = |line: &Line| line.columns.div_ceil(usize::from(columns.max(1))).max(1);
        match self.shown.iter().map(rows).sum::<usize>() {
            0 => "\r".to_string(),
            up => format!("\r\u{1b}[{up}A"),
        }
    }

    /// A terminal that went away is not a reason to end a measurement.
    fn send(&mut self, text: &str) {
        let _gone = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

impl<W: Write> Drop for Window<W> {
    /// Below the window then appears the reason of the panic, if there was one.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::canvas::{Rect, Style};
    use std::num::NonZeroU16;

    fn buffer(lines: &[&str]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 19, lines.len() as u16));
        for (at, line) in (0..).zip(lines) {
            buffer.write(0, at, line, 19, Style::default());
        }
        buffer
    }

    /// Content of a terminal of six lines and twenty columns.
    fn seen(bytes: &[u8]) -> Vec<String> {
        const LINES: NonZeroU16 = NonZeroU16::new(6).unwrap();
        const COLUMNS: NonZeroU16 = NonZeroU16::new(20).unwrap();
        let mut parser = vt100::Parser::new(LINES, COLUMNS, 0);
        parser.process(bytes);
        let rows = parser.screen().rows(0, COLUMNS.get()).collect::<Vec<_>>();
        let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        rows[..used].to_vec()
    }

    /// Draws in a terminal of twenty columns, as if what comes after `begin` had been there before.
    fn drawn(begin: &str, draw: impl FnOnce(&mut Window<&mut Vec<u8>>), end: bool) -> Vec<u8> {
        let mut sent = begin.as_bytes().to_vec();
        let mut window = Window::new(&mut sent, false);
        draw(&mut window);
        if end {
            drop(window)
        } else {
            std::mem::forget(window)
        }
        sent
    }

    #[test]
    fn what_is_said_stays_above_and_the_rest_leaves_nothing() {
        let draw = |window: &mut Window<&mut Vec<u8>>| {
            window.draw(&buffer(&["one", "two"]), 20);
            window.say("said", 20);
            window.draw(&buffer(&["one", "three"]), 20);
        };
        assert_eq!(seen(&drawn("before\r\n", draw, false)), ["before", "said", "one", "three"]);
        assert_eq!(seen(&drawn("before\r\n", draw, true)), ["before", "said"]);
    }

    #[test]
    fn it_is_drawn_in_its_place_with_more_lines_or_fewer_at_the_end_of_the_screen() {
        let more = |window: &mut Window<&mut Vec<u8>>| {
            window.draw(&buffer(&["a"]), 20);
            window.draw(&buffer(&["a", "b", "c"]), 20);
        };
        let begin = "1\r\n2\r\n3\r\n4\r\n";
        assert_eq!(seen(&drawn(begin, more, false)), ["3", "4", "a", "b", "c"], "it scrolls");
        let fewer = |window: &mut Window<&mut Vec<u8>>| {
            more(window);
            window.draw(&buffer(&["a", "x"]), 20);
        };
        assert_eq!(seen(&drawn(begin, fewer, false)), ["3", "4", "a", "x"]);
    }

    #[test]
    fn in_a_narrower_terminal_it_finds_its_first_line_again() {
        let mut sent = Vec::new();
        let mut window = Window::new(&mut sent, false);
        window.draw(&buffer(&["a line of nineteen.", "two"]), 20);
        assert!(window.back(20).ends_with("[2A"));
        assert!(window.back(10).ends_with("[3A"), "the first line takes two rows");
    }

    #[test]
    fn a_line_that_is_still_right_is_not_sent_again() {
        let draw = |window: &mut Window<&mut Vec<u8>>| {
            window.draw(&buffer(&["steady", "one"]), 20);
            window.draw(&buffer(&["steady", "two"]), 20);
        };
        let sent = String::from_utf8(drawn("", draw, false)).unwrap();
        assert_eq!((sent.matches("steady").count(), sent.matches("two").count()), (1, 1), "{sent:?}");
    }
}
