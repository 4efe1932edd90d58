//! Names that attack: of studies, and of folders that were copied here.

use super::asking::{Served, serve};
use super::made;
use proofload_testkit::HOSTILE;
use std::collections::BTreeMap;
use std::fs;

/// Number of each of the characters with a meaning in HTML in the content of a page.
fn census(page: &str) -> BTreeMap<char, usize> {
    let content = page.split_once("<main").expect("content").1.split_once("</main>").expect("an end").0;
    // Another process may be measuring on this machine just now.
    let content = match content.split_once("<p class=\"busy\">") {
        Some((before, rest)) => before.to_string() + rest.split_once("</p>").expect("its end").1,
        None => content.to_string(),
    };
    "<>\"'".chars().map(|c| (c, content.matches(c).count())).collect()
}

/// The page of the list, of the only run's report, and of that run compared with itself.
fn pages(served: &Served) -> [String; 3] {
    let list = served.get("");
    assert_eq!(list.status, 200);
    let link = super::asking::between(&list.body, "/run/", "\"").to_string();
    let report = served.get(&format!("run/{link}"));
    assert_eq!(report.status, 200, "{link}");
    let value = link.replace('%', "%25").replace('/', "%2F");
    let compared = served.get(&format!("compare?run={value}&run={value}"));
    assert_eq!(compared.status, 200, "{value}");
    // Of the report the body only: its charts are JSON, which tests of the report see to.
    [list.body, report.body, compared.body]
}

/// The pages of a run whose study has that name, in folders that have it as far as folders can.
fn only(name: &str) -> [String; 3] {
    let root = tempfile::tempdir().expect("a folder");
    let run = made::end(made::begun(root.path(), name, 0, 1));
    let (study, name) = (run.parent().expect("a study"), name.replace(['/', '\0'], "-"));
    fs::rename(&run, study.join(&name)).expect("renamed");
    fs::remove_file(study.join("latest")).expect("removed");
    fs::rename(study, root.path().join("runs").join(name)).expect("renamed");
    pages(&serve(root.path()))
}

fn invisible(c: char) -> bool {
    (c.is_control() && !"\n\t".contains(c)) || ('\u{202a}'..='\u{202e}').contains(&c)
}

#[test]
fn no_name_of_a_study_or_a_folder_becomes_markup() {
    let means_something = |c: char| invisible(c) || "<>\"'&".contains(c);
    become_no_markup(HOSTILE.iter().filter(|hostile| hostile.contains(means_something)));
}

#[test]
#[ignore = "full: those that attack other formats, too"]
fn no_name_of_any_kind_becomes_markup() {
    become_no_markup(HOSTILE.iter());
}

fn become_no_markup<'a>(names: impl Iterator<Item = &'a &'static str>) {
    let calm = only("word").map(|page| census(&page));
    for hostile in names {
        for (page, calm) in only(hostile).iter().zip(&calm) {
            assert_eq!(&census(page), calm, "{hostile:?}");
            assert!(!page.chars().any(invisible), "{hostile:?}");
        }
    }
}

#[test]
fn what_is_searched_for_does_not_become_markup() {
    let root = tempfile::tempdir().expect("a folder");
    made::run(root.path(), "word", 0);
    let served = serve(root.path());
    let quotes = |page: &str| "<>\"'".chars().map(|c| page.matches(c).count()).collect::<Vec<_>>();
    let calm = quotes(&served.get("?q=nowhere").body);
    for hostile in HOSTILE {
        let words: String = hostile.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let page = served.get(&format!("?q=nowhere{words}"));
        assert_eq!((page.status, quotes(&page.body)), (200, calm.clone()), "{hostile:?}");
    }
}
