//! From a buffer of cells to lines for a terminal. Nothing is asked of the terminal, and no cursor is placed in them.

use super::canvas::{Buffer, Cell, Color, Style};
use unicode_width::UnicodeWidthStr;

/// A line as it is sent, and how many columns it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub columns: usize,
}

/// The lines of a buffer, without the blanks at their ends; with colours or without.
pub fn lines(buffer: &Buffer, coloured: bool) -> Vec<Line> {
    let width = usize::from(buffer.area.width).max(1);
    buffer.content.chunks(width).map(|cells| line(cells, coloured)).collect()
}

fn line(cells: &[Cell], coloured: bool) -> Line {
    let used = cells.iter().rposition(|cell| !cell.is_blank()).map_or(0, |last| last + 1);
    let (mut text, mut style, mut columns) = (String::new(), String::new(), 0);
    while let Some(cell) = cells[..used].get(columns) {
        let wanted = if coloured { selected(cell.style) } else { String::new() };
        if wanted != style {
            text.push_str(&format!("\u{1b}[0{wanted}m"));
            style = wanted;
        }
        text.push_str(&cell.symbol);
        // The cells behind a wide character belong to it.
        columns += cell.symbol.width().max(1);
    }
    if !style.is_empty() {
        text.push_str("\u{1b}[0m");
    }
    Line { text, columns }
}

/// SGR parameters of a style, after a reset: `;1;36`.
fn selected(style: Style) -> String {
    let colour = match style.colour {
        Color::Red => ";31",
        Color::Green => ";32",
        Color::Yellow => ";33",
        Color::Blue => ";34",
        Color::Cyan => ";36",
        Color::Reset => "",
    };
    let has = |it, code| if it { code } else { "" };
    format!("{}{}{colour}", has(style.bold, ";1"), has(style.dim, ";2"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::canvas::Rect;
    use crate::progress::chart::strong;

    fn of(text: &str, style: Style) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        buffer.write(1, 0, text, 7, style);
        buffer
    }

    #[test]
    fn a_style_is_selected_once_and_left_at_the_end() {
        let buffer = of("ab", strong().fg(Color::Red));
        assert_eq!(lines(&buffer, true)[0].text, " \u{1b}[0;1;31mab\u{1b}[0m");
        assert_eq!(lines(&buffer, false)[0].text, " ab");
    }

    #[test]
    fn a_wide_character_is_sent_once() {
        let found = &lines(&of("连a", Style::default()), true)[0];
        assert_eq!((found.text.as_str(), found.columns), (" 连a", 4));
    }
}
