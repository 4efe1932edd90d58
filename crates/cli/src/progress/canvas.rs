//! Cells that are drawn into before they are sent to a terminal.

use std::ops::{Index, IndexMut};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns and lines of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Rect {
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Rect {
        Rect { x, y, width, height }
    }

    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Intersection; empty where there is none.
    pub fn intersection(self, other: Rect) -> Rect {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = self.right().min(other.right()).saturating_sub(x);
        let height = self.bottom().min(other.bottom()).saturating_sub(y);
        Rect { x, y, width, height }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    #[default]
    Reset,
    Red,
    Green,
    Yellow,
    Blue,
    Cyan,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub colour: Color,
    pub bold: bool,
    pub dim: bool,
}

impl Style {
    pub fn fg(self, colour: Color) -> Style {
        Style { colour, ..self }
    }
}

/// One column of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// A character with what combines with it. A wide one is followed by a blank cell, which it covers.
    pub symbol: String,
    pub style: Style,
}

impl Cell {
    pub fn is_blank(&self) -> bool {
        self.symbol.as_bytes() == b" "
    }

    pub fn set(&mut self, symbol: &str, style: Style) {
        self.symbol.clear();
        self.symbol.push_str(symbol);
        self.style = style;
    }
}

/// All cells of an area, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub area: Rect,
    pub content: Vec<Cell>,
}

impl Buffer {
    pub fn empty(area: Rect) -> Buffer {
        let blank = Cell { symbol: " ".to_string(), style: Style::default() };
        Buffer { area, content: vec![blank; usize::from(area.width) * usize::from(area.height)] }
    }

    /// Writes a text of at most `columns` columns, and returns its end. Control characters are left out.
    pub fn write(&mut self, x: u16, y: u16, text: &str, columns: u16, style: Style) -> u16 {
        let end = self.area.right().min(x.saturating_add(columns));
        let mut at = x;
        for symbol in text.graphemes(true).filter(|symbol| !symbol.contains(char::is_control)) {
            let width = symbol.width() as u16;
            if width > end.saturating_sub(at) {
                break;
            }
            if width > 0 {
                self[(at, y)].set(symbol, style);
                (at + 1..at + width).for_each(|covered| self[(covered, y)].set(" ", Style::default()));
                at += width;
            }
        }
        at
    }

    fn index_of(&self, x: u16, y: u16) -> usize {
        let Rect { x: left, y: top, width, .. } = self.area;
        debug_assert!((left..self.area.right()).contains(&x), "column {x} of {:?}", self.area);
        usize::from(y - top) * usize::from(width) + usize::from(x - left)
    }
}

impl Index<(u16, u16)> for Buffer {
    type Output = Cell;

    fn index(&self, at: (u16, u16)) -> &Cell {
        &self.content[self.index_of(at.0, at.1)]
    }
}

impl IndexMut<(u16, u16)> for Buffer {
    fn index_mut(&mut self, at: (u16, u16)) -> &mut Cell {
        let index = self.index_of(at.0, at.1);
        &mut self.content[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, columns: u16) -> (String, u16) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        let end = buffer.write(1, 0, text, columns, Style::default());
        (buffer.content.into_iter().map(|cell| cell.symbol + "|").collect(), end)
    }

    #[test]
    fn a_character_is_one_cell_with_what_combines_with_it() {
        assert_eq!(written("ae\u{301}b", 9), (" |a|e\u{301}|b| | |".to_string(), 4));
        assert_eq!(written("a\u{1b}\u{200b}b", 9), (" |a|b| | | |".to_string(), 3));
    }

    #[test]
    fn a_wide_character_covers_the_next_cell_or_is_left_out() {
        assert_eq!(written("连连连", 9), (" |连| |连| | |".to_string(), 5));
        assert_eq!(written("连连", 3), (" |连| | | | |".to_string(), 3));
    }

    #[test]
    fn areas_that_have_nothing_in_common_have_an_empty_one() {
        let all = Rect::new(0, 0, 10, 2);
        assert_eq!(Rect::new(8, 1, 5, 5).intersection(all), Rect::new(8, 1, 2, 1));
        assert!(Rect::new(12, 0, 3, 1).intersection(all).is_empty());
        assert!(Rect::new(0, u16::MAX, 3, 9).intersection(all).is_empty());
    }
}
