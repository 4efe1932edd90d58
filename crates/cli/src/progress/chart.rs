//! Small drawings of the live view: values over time, an interval beside its threshold, progress.

use super::canvas::{Buffer, Color, Rect, Style};
use proofload_report::escape;

/// Half the width of a bar, as a ratio to its middle: the narrowest first.
const REACHES: [f64; 10] = [1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 5.0, 10.0, 100.0, 1000.0];

/// The finest step that a line can show, and the characters for them.
const EIGHTHS: usize = 8;
const BARS: [&str; EIGHTHS + 1] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Style of secondary text.
pub fn faint() -> Style {
    Style { dim: true, ..Style::default() }
}

pub fn strong() -> Style {
    Style { bold: true, ..Style::default() }
}

/// A text of foreign origin in one line, cut to the area.
pub fn put(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let text = escape::line(text).replace('\t', " ");
    let x = buffer.write(area.x, area.y, &text, area.width, style);
    if unicode_width::UnicodeWidthStr::width(text.as_str()) > usize::from(area.width) {
        // The last character may take two columns.
        (x.min(area.right() - 1)..area.right()).for_each(|x| buffer[(x, area.y)].set(" ", style));
        buffer[(area.right() - 1, area.y)].set("…", style);
    }
}

/// The same, at the right end.
pub fn put_right(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let width = unicode_width::UnicodeWidthStr::width(text).min(usize::from(area.width)) as u16;
    put(buffer, Rect { x: area.right() - width, width, ..area }, text, style);
}

/// Gauge of the share that is done.
pub fn gauge(buffer: &mut Buffer, area: Rect, share: f64) {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let done = (f64::from(area.width - 1) * share).floor() as u16;
    for column in 1..area.width {
        let (symbol, style) =
            if column <= done { ("━", Style::default().fg(Color::Cyan)) } else { ("─", faint()) };
        buffer[(area.x + column, area.y)].set(symbol, style);
    }
}

/// Values over time, the latest at the right; from 0 to the largest, or to `most`. More than fit are put together.
pub fn over_time(buffer: &mut Buffer, area: Rect, values: &[f64], most: Option<f64>, colour: Color) {
    let area = area.intersection(buffer.area);
    let columns = usize::from(area.width);
    let shown = together(values, columns);
    let most = most.unwrap_or_else(|| shown.iter().copied().fold(0.0, f64::max));
    if area.is_empty() || most <= 0.0 {
        return;
    }
    // Eighths of a line are the finest step. One stays free, so that the row above is set apart.
    let finest = f64::from(area.height) * EIGHTHS as f64 - 1.0;
    for (x, value) in (area.x..).zip(&shown) {
        let mut left = (value / most * finest).round() as usize;
        for y in (area.y..area.bottom()).rev() {
            buffer[(x, y)].set(BARS[left.min(EIGHTHS)], Style::default().fg(colour));
            left = left.saturating_sub(EIGHTHS);
        }
    }
}

/// Means of neighbours, as many as there are columns at most.
fn together(values: &[f64], columns: usize) -> Vec<f64> {
    if values.len() <= columns {
        return values.to_vec();
    }
    let bounds = |column: usize| column * values.len() / columns;
    let mean = |column| {
        let of = &values[bounds(column)..bounds(column + 1)];
        of.iter().sum::<f64>() / of.len() as f64
    };
    (0..columns).map(mean).collect()
}

/// An interval of a positive quantity, on a logarithmic scale around the value that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    pub low: f64,
    pub point: f64,
    pub high: f64,
    /// Value at which the claim's answer changes.
    pub boundary: f64,
    /// Half-width of the band of `~ within` around it, as a ratio; 1 without one.
    pub band: f64,
}

impl Held {
    /// True if it can be drawn at all.
    pub fn is_drawable(&self) -> bool {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        [self.low, self.point, self.high, self.boundary, self.band].into_iter().all(positive)
    }

    /// Greatest distance from the boundary, as a ratio.
    fn reach(&self) -> f64 {
        [self.low, self.high]
            .map(|end| (end / self.boundary).ln().abs().exp())
            .into_iter()
            .fold(self.band, f64::max)
    }

    /// The scale to draw it on. It stays while it fits and is not far too wide, so that an interval is seen to narrow.
    pub fn scale(&self, before: Option<f64>) -> f64 {
        let reach = self.reach();
        let fits = |scale: &f64| *scale >= reach && scale.ln() <= 8.0 * reach.ln();
        let narrowest = REACHES.into_iter().find(|scale| *scale >= reach);
        before.filter(fits).or(narrowest).unwrap_or(REACHES[REACHES.len() - 1])
    }

    /// Draws it: the boundary is a line in the middle, or two where the claim has a band.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, scale: f64) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let middle = f64::from(area.width - 1) / 2.0;
        let column = |value: f64| {
            let from_middle = (value / self.boundary).ln() / scale.ln();
            (middle + from_middle * middle).round().clamp(0.0, f64::from(area.width - 1)) as u16
        };
        let mut set = |column: u16, symbol: &str, style: Style| {
            buffer[(area.x + column, area.y)].set(symbol, style);
        };
        (0..area.width).for_each(|column| set(column, "·", faint()));
        let within = Style::default().fg(Color::Cyan);
        let (low, high) = (column(self.low), column(self.high));
        (low..=high).for_each(|column| set(column, "━", within));
        for edge in [self.boundary / self.band, self.boundary * self.band].map(column) {
            let symbol = if (low..=high).contains(&edge) { "┿" } else { "│" };
            set(edge, symbol, Style::default().fg(Color::Yellow));
        }
        set(column(self.point), "●", Style { bold: true, ..within });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(held: Held, scale: f64) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 21, 1));
        held.draw(&mut buffer, Rect::new(0, 0, 21, 1), scale);
        buffer.content.into_iter().map(|cell| cell.symbol).collect()
    }

    const HELD: Held = Held { low: 0.98, point: 1.02, high: 1.06, boundary: 1.0, band: 1.0 };

    #[test]
    fn an_interval_stands_where_it_is_beside_its_threshold() {
        assert_eq!(drawn(HELD, 1.1), "········━━┿━●━━━━····");
        assert_eq!(drawn(Held { low: 1.04, point: 1.05, high: 1.06, ..HELD }, 1.1), "··········│···━●━····");
        assert_eq!(drawn(Held { band: 1.05, ..HELD }, 1.1), "·····│··━━━━●━━┿━····");
        let far = Held { low: 5.0, point: 6.0, high: 9.0, boundary: 10.0, band: 1.0 };
        assert_eq!(drawn(far, 2.0), "━━━●━━━━━·│··········");
    }

    #[test]
    fn the_scale_stays_until_the_interval_has_become_much_narrower() {
        let wide = Held { low: 0.6, high: 1.6, ..HELD };
        let scale = wide.scale(None);
        assert_eq!(scale, 2.0);
        assert_eq!(HELD.scale(Some(scale)), 1.1_f64.max(HELD.scale(None)), "an eighth of 2 is 1.09");
        let half = Held { low: 0.9, high: 1.2, ..HELD };
        assert_eq!(half.scale(Some(scale)), 2.0);
        assert_eq!(Held { high: 3.0, ..HELD }.scale(Some(scale)), 5.0, "and grows when it must");
    }

    #[test]
    fn more_values_than_columns_are_put_together() {
        assert_eq!(together(&[1.0, 3.0, 5.0, 7.0, 9.0], 2), [2.0, 7.0]);
        assert_eq!(together(&[1.0, 3.0], 2), [1.0, 3.0]);
    }

    #[test]
    fn a_text_that_is_too_long_ends_in_an_ellipsis_within_its_columns() {
        for (text, expected) in
            [("abcdef", "abcd…"), ("abcde", "abcde"), ("连连连", "连连…"), ("a连连", "a连连")]
        {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 5, 1));
            put(&mut buffer, Rect::new(0, 0, 5, 1), text, Style::default());
            assert_eq!(super::super::ansi::lines(&buffer, false)[0].text, expected);
        }
    }
}
