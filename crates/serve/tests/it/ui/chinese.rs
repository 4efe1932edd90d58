//! Pages in Chinese.

use super::asking::{between, serve};
use super::made;
use proofload_language::Language;

#[test]
fn every_page_is_in_the_language_in_which_it_was_begun() {
    let root = tempfile::tempdir().expect("a folder");
    let [first, second] = [0, 1].map(|hour| made::id(&made::run(root.path(), "shop", hour)));
    let running = made::begun(root.path(), "going", 2, 1);
    let served = Language::Chinese.within(|| serve(root.path()));
    let going = format!("run/going/{}", made::id(running.path()));
    let compared = format!("compare?run=shop%2F{first}&run=shop%2F{second}");
    for (path, words) in [
        (
            "",
            &[
                "<h1>运行记录</h1>",
                ">实验</th>",
                ">已结束<",
                ">运行中<",
                ">✔ 2 条成立；netty 与 tomcat 的吞吐量之比",
                " 个区组<",
                "不再应答",
            ][..],
        ),
        ("?q=nowhere", &["没有匹配的运行"]),
        (&going, &["正在运行", "已完成 1 个区组。", "<h2>判定</h2>"]),
        (&compared, &["<h1>两次运行对比</h1>", "<dt>第一个</dt>", "全部相同。", "<h2>指标</h2>"]),
        ("compare", &["请先在列表中选择两次运行"]),
        ("nothing", &["这个地址没有对应的页面。"]),
    ] {
        let page = served.get(path).body;
        assert_eq!(between(&page, "<html lang=\"", "\""), "zh-CN", "{path}");
        for word in words {
            assert!(page.contains(word), "{path}: no {word} in {page}");
        }
    }
    // A word of either language is found.
    for word in ["%E5%B7%B2%E7%BB%93%E6%9D%9F", "finished"] {
        let found = served.get(&format!("?q={word}")).body;
        assert!(found.contains(">shop<") && !found.contains(">going<"), "{word}: {found}");
    }
    let refused = served.raw("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n").expect("an answer");
    assert!(refused.body.starts_with("拒绝访问"), "{}", refused.body);
}

#[test]
fn where_nothing_else_is_asked_for_they_are_english() {
    let root = tempfile::tempdir().expect("a folder");
    made::run(root.path(), "shop", 0);
    let page = serve(root.path()).get("").body;
    assert_eq!(between(&page, "<html lang=\"", "\""), "en");
    assert!(!page.contains(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{page}");
}
