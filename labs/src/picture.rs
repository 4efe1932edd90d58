//! Pictures of what a terminal shows, for the documents: a text with the escapes of its colours becomes SVG. The text is
//! committed beside the picture, and a test draws it again, so that no picture is of another day.

use anyhow::{Context, bail};
use std::fmt::Write;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

/// A cell of the picture.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
/// Around the text.
const MARGIN: f64 = 14.0;
/// No text is higher.
const LINES_MAX: u16 = 500;
const BACKGROUND: &str = "#1e2127";
const FOREGROUND: &str = "#d7dae0";

/// Draws a text: `picture FILE.ansi [-o FILE.svg]`, or all of `docs/pictures`.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let pairs = match words[..] {
        [] => committed(root)?,
        [text] => vec![(PathBuf::from(text), Path::new(text).with_extension("svg"))],
        [text, "-o", picture] => vec![(PathBuf::from(text), PathBuf::from(picture))],
        _ => bail!("picture takes FILE.ansi and -o FILE.svg, or nothing for all of docs/pictures"),
    };
    for (text, picture) in pairs {
        std::fs::write(&picture, of_file(&text)?)
            .with_context(|| format!("cannot write {}", picture.display()))?;
        println!("wrote {}", picture.display());
    }
    Ok(())
}

/// The texts of the documents, with their pictures.
fn committed(root: &Path) -> anyhow::Result<Vec<(PathBuf, PathBuf)>> {
    let folder = root.join("docs/pictures");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let texts = entries.flatten().map(|entry| entry.path());
    let texts = texts.filter(|path| path.to_string_lossy().ends_with(".ansi"));
    Ok(texts.map(|text| (text.clone(), text.with_extension("svg"))).collect())
}

fn of_file(path: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    svg(&text).with_context(|| format!("{} is nothing to draw", path.display()))
}

/// Screen of a terminal after that text; `None` for an empty one.
fn svg(text: &str) -> Option<String> {
    let lines = u16::try_from(text.lines().count()).ok().filter(|lines| *lines <= LINES_MAX)?;
    // Escapes take no columns: this is wide enough, and what is not used is cut off.
    let widest = text.lines().map(|line| line.chars().count()).max()?;
    let columns = NonZeroU16::new(u16::try_from(widest).ok()?)?;
    let mut parser = vt100::Parser::new(NonZeroU16::new(lines)?, columns, 0);
    parser.process(text.trim_end_matches('\n').replace('\n', "\r\n").as_bytes());
    let screen = parser.screen();
    let used = screen.rows(0, columns.get()).map(|row| row.trim_end().chars().count()).max()?;
    let (width, height) = (used as f64 * WIDTH + 2.0 * MARGIN, f64::from(lines) * HEIGHT + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for line in 0..lines {
        for column in 0..columns.get() {
            if let Some(cell) = screen.cell(line, column).filter(|cell| !cell.contents().trim().is_empty()) {
                let (x, y) = (MARGIN + f64::from(column) * WIDTH, MARGIN + f64::from(line) * HEIGHT);
                draw(&mut out, cell, x, y);
            }
        }
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Draws a cell. Blocks are rectangles: fonts leave gaps between them.
fn draw(out: &mut String, cell: &vt100::Cell, x: f64, y: f64) {
    let colour = match cell.fgcolor() {
        vt100::Color::Idx(1 | 9) => "#e06c75",
        vt100::Color::Idx(2 | 10) => "#98c379",
        vt100::Color::Idx(3 | 11) => "#e5c07b",
        vt100::Color::Idx(4 | 12) => "#61afef",
        vt100::Color::Idx(5 | 13) => "#c678dd",
        vt100::Color::Idx(6 | 14) => "#56b6c2",
        _ => FOREGROUND,
    };
    let dim = if cell.dim() { " opacity=\"0.55\"" } else { "" };
    let bold = if cell.bold() { " font-weight=\"bold\"" } else { "" };
    let character = cell.contents().chars().next().unwrap_or(' ');
    let _infallible = match character {
        '▁'..='█' => {
            let height = f64::from(u32::from(character) - u32::from('▁') + 1) / 8.0 * HEIGHT;
            let top = y + HEIGHT - height;
            writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{top:.2}\" width=\"{WIDTH}\" height=\"{height:.2}\" fill=\"{colour}\"{dim} \
                 shape-rendering=\"crispEdges\"/>"
            )
        }
        _ => {
            let text = cell.contents().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let baseline = y + HEIGHT * 0.75;
            writeln!(out, "<text x=\"{x:.1}\" y=\"{baseline:.1}\" fill=\"{colour}\"{bold}{dim}>{text}</text>")
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_of_the_documents_are_those_of_their_texts() {
        let pairs = committed(&crate::root()).unwrap();
        assert!(!pairs.is_empty());
        for (text, picture) in pairs {
            let found = std::fs::read_to_string(&picture).unwrap_or_default();
            assert!(found == of_file(&text).unwrap(), "{}: run cargo xtask picture", picture.display());
        }
    }

    #[test]
    fn colours_blocks_and_markup_are_drawn() {
        let drawn = svg("\u{1b}[0;1;31m<\u{1b}[0m ▄\n").unwrap();
        assert!(drawn.contains("fill=\"#e06c75\" font-weight=\"bold\">&lt;</text>"), "{drawn}");
        assert!(drawn.contains("height=\"9.00\""), "half a line: {drawn}");
        assert_eq!(svg(""), None);
    }
}
