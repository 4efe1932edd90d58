//! Counts the production code of `crates/`, crate by crate: lines that are neither blank nor a comment nor of a test. The
//! code is formatted, so an item ends at the first line that closes it in its own column.

use anyhow::Context;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Crates that are not part of the product.
const TEST_ONLY: [&str; 1] = ["testkit"];

/// Prints the count of every crate, and the sum without those for tests.
pub fn run(root: &Path) -> anyhow::Result<()> {
    let mut counts = BTreeMap::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let folder = entry?.path();
        let name = folder.file_name().context("a name")?.to_string_lossy().into_owned();
        counts.insert(name, count_folder(&folder.join("src"))?);
    }
    for (name, lines) in &counts {
        println!("{lines:>7}  {name}");
    }
    let of_product = counts.iter().filter(|(name, _)| !TEST_ONLY.contains(&name.as_str()));
    println!("{:>7}  in all, without {}", of_product.map(|(_, n)| n).sum::<usize>(), TEST_ONLY.join(", "));
    Ok(())
}

/// Modules of tests are known by their name, or by the line that declares them.
fn count_folder(folder: &Path) -> anyhow::Result<usize> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    let declared =
        ["mod.rs", "lib.rs", "main.rs"].map(|file| fs::read_to_string(folder.join(file)).unwrap_or_default());
    let of_tests: Vec<String> = declared.iter().flat_map(|text| test_modules(text)).collect();
    let mut lines = 0;
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if stem == "tests" || of_tests.iter().any(|name| *name == stem) {
            continue;
        }
        if path.is_dir() {
            lines += count_folder(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            lines += count(&fs::read_to_string(&path)?);
        }
    }
    Ok(lines)
}

fn test_modules(text: &str) -> Vec<String> {
    let lines = text.lines().zip(text.lines().skip(1)).filter(|(line, _)| line.trim() == "#[cfg(test)]");
    lines.filter_map(|(_, next)| Some(next.strip_prefix("mod ")?.strip_suffix(';')?.to_string())).collect()
}

fn count(text: &str) -> usize {
    let mut lines = 0;
    let mut rest = text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//"));
    while let Some(line) = rest.next() {
        let code = line.trim_start();
        if !code.starts_with("#[cfg(test)]") {
            lines += 1;
            continue;
        }
        let column = line.len() - code.len();
        let first = rest.find(|line| !line.trim_start().starts_with('#')).unwrap_or_default();
        if !first.ends_with([';', ',', '}']) {
            rest.find(|line| {
                line.len() - line.trim_start().len() == column && line.trim_start().starts_with('}')
            });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_do_not_count() {
        let text = "//! Doc.\n\nuse a::B;\n\n/// Doc.\nfn f() {\n    // Why.\n    b();\n}\n\n\
                    #[cfg(test)]\nuse c::{\n    D,\n};\n#[cfg(test)]\n#[path = \"x\"]\nmod other;\n\
                    impl B {\n    #[cfg(test)]\n    fn t() {\n        {\n        }\n    }\n\n    fn g() {}\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        assert_eq!(count(text), 7);
        assert_eq!(test_modules("mod a;\n\n#[cfg(test)]\nmod b;\nmod c;\n"), ["b"]);
    }
}
