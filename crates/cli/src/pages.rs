//! Pages of docs/reference/, written from what the program itself knows: `UPDATE=1` writes them, without it a test
//! compares. And commands that other pages show.

mod codes;
mod command_line;
mod documents;
mod study_keys;

/// First line of each page.
const WRITTEN: &str = "<!-- `cargo xtask reference` writes this page. -->";

fn compare(name: &str, made: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, made).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "docs/reference/{name} is out of date: `cargo xtask reference` writes it");
}

/// Text for the cell of a table: what Markdown would take for its own is escaped outside of code, a bar everywhere.
fn cell(text: &str) -> String {
    let mut is_code = false;
    let mut made = String::new();
    for c in text.replace('\n', " ").chars() {
        is_code ^= c == '`';
        match c {
            '|' => made.push_str("\\|"),
            '*' | '<' if !is_code => made.extend(['\\', c]),
            c => made.push(c),
        }
    }
    made
}

#[test]
fn reference_pages_are_those_of_the_program() {
    compare("codes.md", &codes::page());
    compare("command-line.md", &command_line::page());
    compare("study-keys.md", &study_keys::page());
}

#[test]
fn cells_keep_what_markdown_would_take() {
    assert_eq!(cell("`a|b*c` 3*x < y\n[d]"), "`a\\|b*c` 3\\*x \\< y [d]");
}
