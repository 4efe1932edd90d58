//! Content of the pages.

use super::asking::{between, serve};
use super::made;
use proofload_facts::Finding;
use proofload_store::schema::Slice;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn without_runs_the_page_says_how_to_make_one() {
    let root = tempfile::tempdir().expect("a folder");
    let page = serve(root.path()).get("");
    assert_eq!(page.status, 200);
    for word in ["No runs yet", "proofload localhost:8080", "proofload init", "data-follow"] {
        assert!(page.body.contains(word), "{word}: {}", page.body);
    }
}

#[test]
fn the_list_has_every_run_newest_first_and_is_searched() {
    let root = tempfile::tempdir().expect("a folder");
    made::run(root.path(), "shop", 0);
    made::run(root.path(), "bank", 1);
    drop(made::begun(root.path(), "killed-one", 2, 1));
    let odd = made::run(root.path(), "odd", 3);
    fs::write(odd.join("status.json"), "{").expect("written");
    let running = made::begun(root.path(), "going", 4, 1);
    let served = serve(root.path());
    let all = served.get("").body;
    // What has no result is judged anew: one block decides nothing.
    let killed = all.split("<tr>").find(|row| row.contains(">killed-one<")).expect("its row");
    assert!(killed.contains(">? 2 undecided") && killed.contains("1 block<"), "{killed}");
    let at = |word: &str| all.find(word).unwrap_or_else(|| panic!("no {word}"));
    assert!(at(">going<") < at(">odd<") && at(">odd<") < at(">killed-one<") && at(">bank<") < at(">shop<"));
    assert!(all.contains("● ") || all.contains("class=\"running\">running<"), "{all}");
    for word in
        ["This record cannot be read", ">killed<", ">finished<", ">✔ 2 supported; netty serve", "2026-09-21"]
    {
        assert!(all.contains(word), "{word}");
    }
    let names = |search: &str| -> Vec<&str> {
        let page = served.get(&format!("?q={search}")).body;
        ["shop", "bank", "killed-one", "odd", "going"]
            .into_iter()
            .filter(|name| page.contains(&format!(">{name}<")))
            .collect()
    };
    assert_eq!(names("SHOP"), ["shop"]);
    assert_eq!(names("finished"), ["shop", "bank"]);
    assert_eq!(names("finished+bank"), ["bank"]);
    assert_eq!(names("supported+-nowhere-"), Vec::<&str>::new());
    assert!(served.get("?q=nowhere").body.contains("No run matches"));
    drop(running);
}

/// A folder so deep that a study of that long name in its `runs/` cannot be read by its path, by root neither.
fn unreadable(root: &Path, name: &str) -> PathBuf {
    const PATH_MAX: usize = 4_095;
    let mut deep = root.to_path_buf();
    while deep.as_os_str().len() < PATH_MAX - 250 {
        deep.push("d".repeat(100));
    }
    let runs = deep.join("runs");
    fs::create_dir_all(&runs).expect("made");
    // By a name that begins in it: the whole one is too long for this, too.
    let made = std::process::Command::new("mkdir").arg(name).current_dir(&runs).status();
    assert!(made.expect("mkdir runs").success());
    let error = fs::read_dir(runs.join(name)).expect_err("too long");
    assert_eq!(error.raw_os_error(), Some(36), "ENAMETOOLONG: {error}");
    deep
}

#[test]
fn one_folder_that_cannot_be_read_hides_no_other() {
    let root = tempfile::tempdir().expect("a folder");
    let name = format!("odd-{}", "x".repeat(246));
    let dir = unreadable(root.path(), &name);
    made::run(&dir, "shop", 0);
    let page = serve(&dir).get("").body;
    assert!(page.contains(">shop<"), "{page}");
    assert!(page.contains(&format!("The folder {name} cannot be read")), "{page}");
}

#[test]
fn the_list_goes_on_asking_when_the_folder_of_runs_cannot_be_read() {
    let root = tempfile::tempdir().expect("a folder");
    fs::write(root.path().join("runs"), "a file").expect("written");
    let served = serve(root.path());
    let page = served.get("").body;
    assert!(page.contains("cannot be read") && page.contains("data-follow"), "{page}");
    fs::remove_file(root.path().join("runs")).expect("removed");
    assert!(served.get("").body.contains("No runs yet"));
}

#[test]
fn a_record_that_cannot_be_judged_says_why_in_its_line() {
    let root = tempfile::tempdir().expect("a folder");
    let run = made::begun(root.path(), "killed-one", 0, 1).path().to_path_buf();
    fs::write(run.join("slicing.json"), "{").expect("written");
    let page = serve(root.path()).get("").body;
    let row = page.split("<tr>").find(|row| row.contains("killed-one")).expect("its row");
    assert!(row.contains("cannot be read") && row.contains("slicing.json is damaged"), "{row}");
}

#[test]
fn a_large_record_without_a_result_is_listed_and_not_judged() {
    let root = tempfile::tempdir().expect("a folder");
    let mut writer = made::begun(root.path(), "large", 0, 1);
    let mut block = writer.begin_block(2).expect("a block");
    let marks = vec![Finding::failed("x".repeat(8 << 20))];
    let slice = Slice { marks, ..made::slices(1).remove(0) };
    (0..4).for_each(|_| block.append(&slice).expect("written"));
    block.finish().expect("whole");
    drop(writer);
    let page = serve(root.path()).get("").body;
    let row = page.split("<tr>").find(|row| row.contains(">large<")).expect("its row");
    assert!(row.contains(">killed<") && row.contains("2 blocks<") && !row.contains("undecided"), "{row}");
}

#[test]
fn a_report_is_that_of_the_record() {
    let root = tempfile::tempdir().expect("a folder");
    let [first, second] = [0, 1].map(|hour| made::id(&made::run(root.path(), "shop", hour)));
    let served = serve(root.path());
    let page = served.get(&format!("run/shop/{second}"));
    let run = proofload_store::Run::open(&root.path().join("runs/shop").join(&second)).expect("a record");
    let slices: Vec<_> = run.blocks().iter().flat_map(|block| &block.slices).collect();
    let expected = proofload_report::page(&proofload_report::of_run(&run).expect("a result"), &slices);
    assert!(page.body.contains(&(expected.header + &expected.body)) && page.body.contains(&expected.charts));
    assert!(!page.body.contains("data-follow"), "it does not change");
    let before = between(&page.body, "/compare?", "\"");
    assert!(before.find(&first) < before.find(&second) && before.contains(&first), "{before}");
    let compared = served.get(&format!("compare?{}", before.replace("&amp;", "&")));
    assert_eq!(compared.status, 200);
    // One and the same, measured twice: each ratio is 1.
    let rows = between(&compared.body, "\"rows\":[[", "]]");
    assert!(compared.body.contains("id=\"chart-runs\"") && rows.matches(",\"\",1.0,").count() > 1, "{rows}");
}

#[test]
fn two_runs_that_are_chosen_in_the_list_are_compared_as_the_new_against_the_old() {
    let root = tempfile::tempdir().expect("a folder");
    let [old, new] = [0, 1].map(|hour| made::id(&made::end(made::begun(root.path(), "shop", hour, 1))));
    let served = serve(root.path());
    let list = served.get("").body;
    let form = between(&list, "<section><form action=\"", "\"")
        .strip_prefix(&served.base)
        .expect("behind the token");
    let boxes: Vec<&str> = list
        .split("name=\"run\" value=\"")
        .skip(1)
        .map(|rest| &rest[..rest.find('"').expect("an end")])
        .collect();
    assert_eq!(boxes, [format!("shop/{new}"), format!("shop/{old}")], "newest first");
    let sides = |path: &str| {
        let page = served.get(path).body;
        ["first", "second"].map(|side| {
            between(between(&page, &format!("<dt>{side}</dt>"), "</dd>"), "<small>", "<").to_string()
        })
    };
    assert_eq!(sides(&format!("{form}?run={}&run={}", boxes[0], boxes[1])), [old.clone(), new.clone()]);
    let chosen = served.get(&format!("{form}?run={}&run={}", boxes[0], boxes[1])).body;
    let swap = between(&chosen, "</dl><p><a href=\"", "\"").replace("&amp;", "&");
    assert_eq!(sides(swap.strip_prefix(&served.base).expect("behind the token")), [new, old]);
}

#[test]
fn two_runs_are_side_by_side_and_what_differs_is_marked() {
    let root = tempfile::tempdir().expect("a folder");
    let first = made::id(&made::run(root.path(), "shop", 1));
    let second = made::id(&made::end(made::begun(root.path(), "shop", 7, 1)));
    let served = serve(root.path());
    let page = served.get(&format!("compare?run=shop%2F{first}&run=shop%2F{second}"));
    assert_eq!(page.status, 200);
    let body = &page.body;
    let kernel = between(body, "</abbr> kernel</td>", "</tr>");
    assert_eq!(kernel, "<td>6.1</td><td>6.7</td>");
    assert!(body.contains("facts are the same</summary>") && body.contains(">cpu_model</td>"), "{body}");
    assert!(body.contains("<h2>Figures</h2>"), "{body}");
    // After one block nothing is decided.
    let verdicts = between(body, "<h2>Verdicts</h2>", "</section>");
    assert!(verdicts.contains("class=\"differs\"") && verdicts.contains("undecided"), "{verdicts}");
    for few in
        ["compare", &format!("compare?run=shop%2F{first}"), &format!("compare?run=a&run=shop%2F{first}")]
    {
        let answer = served.get(few);
        assert_eq!(answer.status, 400, "{few}");
        assert!(answer.body.contains("Choose two runs"), "{few}");
    }
    let missing = served.get(&format!("compare?run=shop%2F{first}&run=shop%2Fnowhere"));
    assert_eq!(missing.status, 404);
}
