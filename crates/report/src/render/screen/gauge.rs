//! An interval drawn in a line, beside the value that it is compared with.

use crate::shown::Bar;

/// `······┃─●─···`: the boundary of what is claimed, or the ends of its band in brackets, the interval, the estimate.
pub(super) fn drawn(bar: &Bar, columns: usize) -> String {
    let place = |share: f64| (share * columns.saturating_sub(1) as f64).round() as usize;
    let mut out = vec!['·'; columns];
    out[place(bar.low)..=place(bar.high)].fill('─');
    match (place(bar.holds.0), place(bar.holds.1)) {
        (0, to) => out[to] = '┃',
        (from, to) if to + 1 == columns || from == to => out[from] = '┃',
        (from, to) => (out[from], out[to]) = ('[', ']'),
    }
    out[place(bar.point)] = '●';
    out.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(low: f64, point: f64, high: f64, holds: (f64, f64)) -> Bar {
        Bar { low, point, high, holds, one: None, marks: Vec::new(), told: String::new() }
    }

    #[test]
    fn the_boundary_or_the_band_stands_beside_the_interval() {
        assert_eq!(drawn(&bar(0.7, 0.8, 0.9, (0.5, 1.0)), 11), "·····┃·─●─·");
        assert_eq!(drawn(&bar(0.1, 0.2, 0.3, (0.0, 0.5)), 11), "·─●─·┃·····");
        assert_eq!(drawn(&bar(0.5, 0.5, 0.6, (0.3, 0.7)), 11), "···[·●─]···");
    }
}
