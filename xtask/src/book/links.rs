//! Links of the documents, and where they lead.

use super::place::{Pages, beside};
use anyhow::Context;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

/// A page, as far as links are concerned.
struct Page {
    /// Where each link stands (line) and what it says.
    links: Vec<(usize, String)>,
    /// Anchors that a link may name.
    anchors: BTreeSet<String>,
}

/// Links that lead nowhere.
pub fn wrong(root: &Path, pages: &Pages) -> anyhow::Result<Vec<String>> {
    let mut read = BTreeMap::new();
    for path in pages.all().iter().filter(|path| root.join(path).is_file()) {
        let text = fs::read_to_string(root.join(path)).with_context(|| path.clone())?;
        read.insert(path.as_str(), parse(&text));
    }
    let mut wrong = Vec::new();
    for (path, page) in &read {
        for (line, link) in page.links.iter().filter(|(_, link)| is_ours(link)) {
            let (target, anchor) = parts(path, link);
            let why = match read.get(target.as_str()) {
                Some(page) if anchor.is_empty() || page.anchors.contains(anchor) => continue,
                Some(_) => format!("{target} has no heading #{anchor}"),
                None if target.ends_with(".md") => format!("{target} is no page of docs/SUMMARY.md"),
                None if root.join(&target).is_file() => continue,
                None => format!("{target} is no file"),
            };
            wrong.push(format!("{path}:{line}: {why}"));
        }
    }
    Ok(wrong)
}

/// Files that pages link and that are no pages: pictures, studies, sources.
pub fn files(root: &Path, pages: &Pages) -> anyhow::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for path in pages.all() {
        let text = fs::read_to_string(root.join(path)).with_context(|| path.clone())?;
        let page = parse(&text);
        let targets =
            page.links.iter().filter(|(_, link)| is_ours(link)).map(|(_, link)| parts(path, link).0);
        found.extend(targets.filter(|target| !pages.all().contains(target)));
    }
    Ok(found)
}

/// Links of the finished site that lead nowhere: mdBook names some files and anchors in its own way.
pub fn dead_in_site(site: &Path) -> anyhow::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    html_files(site, "", &mut pages)?;
    let mut dead = BTreeSet::new();
    for (path, text) in
        pages.iter().filter(|(path, _)| !["print.html", "404.html", "toc.html"].contains(&path.as_str()))
    {
        for link in text.split("href=\"").skip(1).chain(text.split("src=\"").skip(1)) {
            let link = link.split('"').next().unwrap_or_default();
            if !is_ours(link) || link.starts_with("data:") {
                continue;
            }
            let (target, anchor) = parts(path, link);
            let has_anchor = |text: &String| anchor.is_empty() || text.contains(&format!("id=\"{anchor}\""));
            if !pages.get(&target).map_or_else(|| site.join(&target).is_file(), has_anchor) {
                dead.insert(format!("{path}: {link}"));
            }
        }
    }
    Ok(dead.into_iter().collect())
}

fn html_files(site: &Path, folder: &str, found: &mut BTreeMap<String, String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(site.join(folder)).with_context(|| site.display().to_string())? {
        let entry = entry?;
        let path = beside(&format!("{folder}/"), &entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            html_files(site, &path, found)?;
        } else if path.ends_with(".html") {
            found.insert(path, fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}

/// Whether it leads to a file of ours.
fn is_ours(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

/// File and anchor that a link in that file names.
fn parts<'a>(path: &str, link: &'a str) -> (String, &'a str) {
    let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
    match target {
        "" => (path.to_string(), anchor),
        target => (beside(path, target), anchor),
    }
}

fn parse(text: &str) -> Page {
    let mut page = Page { links: Vec::new(), anchors: BTreeSet::new() };
    let mut heading: Option<String> = None;
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (event, place) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let before = seen.entry(anchor.clone()).or_default();
                page.anchors.insert(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
                *before += 1;
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let line = text[..place.start].matches('\n').count() + 1;
                page.links.push((line, dest_url.to_string()));
            }
            _ => {}
        }
    }
    page
}

/// The anchor of a heading, as GitHub and mdBook name it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_are_those_of_the_sites() {
        let text = "# A `b` (c), d?\n[x](y.md#z)\n\n## A\n## A\n```\n[no](link)\n```\n![p](p.png)\n";
        let page = parse(text);
        assert_eq!(page.links, [(2, "y.md#z".to_string()), (9, "p.png".to_string())]);
        assert!(page.anchors.iter().eq(["a", "a-1", "a-b-c-d"]), "{:?}", page.anchors);
        assert_eq!(parts("docs/a.md", "../x/y.md#z"), ("x/y.md".to_string(), "z"));
        assert_eq!(parts("docs/a.md", "#z"), ("docs/a.md".to_string(), "z"));
    }

    #[test]
    fn links_that_lead_nowhere_are_told() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        fs::create_dir(root.join("docs")).expect("made");
        for (name, text) in [
            ("SUMMARY.md", "[a](a.md) [b](b.md)"),
            ("a.md", "# A\n[1](b.md#b) [2](b.md#c) [3](gone.svg) [4](c.md) [5](https://host/) [6](d.txt)"),
            ("b.md", "# B\n[up](#b)"),
            ("c.md", "# C"),
            ("d.txt", ""),
        ] {
            fs::write(root.join("docs").join(name), text).expect("written");
        }
        let pages = Pages::of(root).expect("read");
        assert_eq!(
            wrong(root, &pages).expect("looked"),
            [
                "docs/a.md:2: docs/b.md has no heading #c",
                "docs/a.md:2: docs/gone.svg is no file",
                "docs/a.md:2: docs/c.md is no page of docs/SUMMARY.md",
            ]
        );
    }
}
