//! A study that goes on.

use super::asking::{Answer, Served, between, serve};
use super::made;
use std::fs;
use std::time::{Duration, Instant};

/// Asks again until the page has that text: a report rests for a multiple of the time that it took.
fn until(served: &Served, path: &str, text: &str) -> Answer {
    let begun = Instant::now();
    loop {
        let answer = served.get(path);
        if answer.body.contains(text) {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "never {text}: {}", answer.body);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_page_follows_a_study_from_its_first_block_to_its_end() {
    let root = tempfile::tempdir().expect("a folder");
    let mut running = made::begun(root.path(), "going", 0, 0);
    let path = format!("run/going/{}", made::id(running.path()));
    let served = serve(root.path());
    let first = served.get(&path);
    assert!(first.body.contains("Running now") && first.body.contains("data-follow=\"2\""), "{}", first.body);
    let etag = first.header("etag").expect("an etag");
    assert!(first.body.contains(&format!("data-etag=\"{}\"", etag.replace('"', "&quot;"))));
    let same = served.get_if(&path, Some(etag));
    assert_eq!((same.status, same.body.as_str()), (304, ""));

    let mut block = running.begin_block(1).expect("a block");
    let slices = made::slices(1);
    let measured = slices.iter().filter(|slice| slice.is_measured()).count();
    let (one, others) = slices.split_first().expect("slices");
    block.append(one).expect("written");
    let begun = until(&served, &path, "Block 1 of at most");
    assert!(begun.body.contains("The last slice of each variant"), "{}", begun.body);
    assert!(begun.header("etag") != Some(etag) && served.get_if(&path, Some(etag)).status == 200);
    others.iter().for_each(|slice| block.append(slice).expect("written"));
    assert!(!begun.body.contains("lost to it"), "the block being measured is not lost: {}", begun.body);
    let whole = until(&served, &path, &format!("{measured} of its {measured} slices are complete."));
    assert!(whole.body.contains("no verdicts and figures before"), "{}", whole.body);
    block.finish().expect("whole");
    let judged = until(&served, &path, "1 block is complete.");
    assert!(
        judged.body.contains("<h2>Verdicts</h2>") && judged.body.contains("data-follow"),
        "{}",
        judged.body
    );

    let mut next = running.begin_block(2).expect("a block");
    next.append(one).expect("written");
    let second = until(&served, &path, "Block 2 of at most");
    assert!(second.body.contains("1 block is complete."), "{}", second.body);
    assert!(!second.body.contains("lost to it"), "the block being measured is not lost: {}", second.body);
    drop(next);

    made::end(running);
    // However short ago the last report was made: this is the last one.
    let ended = served.get(&path);
    assert!(
        !ended.body.contains("Running now") && !between(&ended.body, "<main", ">").contains("data-follow")
    );
}

#[test]
fn a_page_that_could_not_be_made_meanwhile_is_followed_all_the_same() {
    let root = tempfile::tempdir().expect("a folder");
    let running = made::begun(root.path(), "going", 0, 1);
    let path = format!("run/going/{}", made::id(running.path()));
    let served = serve(root.path());
    let status = running.path().join("status.json");
    let whole = fs::read(&status).expect("a status");
    fs::write(&status, "{").expect("written");
    let broken = served.get(&path);
    assert!(broken.body.contains("This record cannot be read"), "{}", broken.body);
    assert_eq!(between(&broken.body, "data-follow=\"", "\""), "2");
    fs::write(&status, whole).expect("written");
    assert!(until(&served, &path, "Running now").body.contains("data-follow"));
    drop(running);
    fs::write(&status, "{").expect("written");
    let ended = served.get(&path);
    assert!(ended.body.contains("cannot be read") && !ended.body.contains("data-follow"), "{}", ended.body);
}

#[test]
fn who_was_killed_is_not_running() {
    let root = tempfile::tempdir().expect("a folder");
    let id = made::id(made::begun(root.path(), "killed-one", 0, 1).path());
    let page = serve(root.path()).get(&format!("run/killed-one/{id}"));
    assert!(page.body.contains("<h1 class=\"lead undecided\">? killed"), "{}", page.body);
    assert!(!page.body.contains("Running now"));
}
