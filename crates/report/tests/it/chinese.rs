//! The same records in Chinese: every format for people, the same figures, and words that none may contain.

use crate::made::{CASE, Case, plan, result_of};
use crate::page::read_only;
use proofload_facts::Fact;
use proofload_language::{Language, facts};
use proofload_report::{Terminal, Undecided, html, json, junit, markdown, screen, text};
use proofload_store::schema::{Plan, PlannedClaim, RunResult, Verdict};
use unicode_width::UnicodeWidthStr;

fn claiming(case: Case) -> Plan {
    let claim = |(name, text): &(&str, &str)| PlannedClaim { name: name.to_string(), text: text.to_string() };
    let claims = [
        ("faster", "throughput(nio2) > throughput(nio)"),
        ("a tenth", "throughput(nio2) >= 1.1 * throughput(nio)"),
        ("alike", "throughput(nio2) ~ throughput(nio) within 5%"),
        ("quick", "p99(nio2) < 50ms"),
        ("tail", "p99(nio2) <= p99(nio)"),
        ("work", "cpu_per_request(nio2) < cpu_per_request(nio)"),
        ("clean", "errors(nio2) == 0"),
    ];
    Plan { claims: claims.iter().map(claim).collect(), ..plan(case) }
}

/// A record judged in a language.
fn told(language: Language, case: Case) -> RunResult {
    language.within(|| result_of(case, &claiming(case)))
}

fn sentences(language: Language, facts: &[impl Fact]) -> Vec<String> {
    language.within(|| facts.iter().map(facts::told).collect())
}

fn in_chinese<T>(drawn: impl FnOnce() -> T) -> T {
    Language::Chinese.within(drawn)
}

const CASES: [Case; 6] = [
    CASE,
    Case { ratio: 1.01, wobble: 0.03, ..CASE },
    Case { ratio: 0.4, ..CASE },
    Case { blocks: 1, ..CASE },
    Case { fit: false, rejected: 9, ..CASE },
    Case { replication: "process", ..CASE },
];

fn is_chinese(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[test]
fn a_study_in_every_format_for_people() {
    let result = told(Language::Chinese, CASE);
    in_chinese(|| {
        insta::assert_snapshot!("chinese.txt", text(&result, false));
        insta::assert_snapshot!("chinese.md", markdown(&result));
        insta::assert_snapshot!("chinese.html", read_only(&html(&result, &[])));
        insta::assert_snapshot!("chinese.xml", junit(&result, Undecided::Skip));
        insta::assert_snapshot!(
            "chinese.screen.txt",
            screen(&result, &[], Terminal { colour: false, columns: 80 })
        );
    });
    assert!(in_chinese(|| html(&result, &[])).contains("<html lang=\"zh-CN\">"));
}

#[test]
fn a_generator_at_its_limit_says_what_to_do_in_chinese() {
    let result = told(Language::Chinese, Case { fit: false, ..CASE });
    in_chinese(|| {
        insta::assert_snapshot!("chinese.client-limited.txt", text(&result, false));
        let drawn = screen(&result, &[], Terminal { colour: false, columns: 80 });
        insta::assert_snapshot!("chinese.client-limited.screen.txt", drawn);
    });
}

#[test]
fn no_line_of_the_screen_is_wider_than_the_terminal() {
    for case in CASES {
        let result = told(Language::Chinese, case);
        for columns in [40, 80, 120] {
            let drawn = in_chinese(|| screen(&result, &[], Terminal { colour: false, columns }));
            let widest = drawn.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
            assert!(widest <= columns, "{widest} of {columns}:\n{drawn}");
            let english = screen(&told(Language::English, case), &[], Terminal { colour: false, columns });
            assert!(columns < 80 || drawn.lines().count() <= english.lines().count(), "{drawn}\n{english}");
        }
    }
}

/// Numbers in the order of their size, for the order of words is another one.
fn numbers(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = text
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
        .map(|number| number.trim_matches(['.', ',']))
        .filter(|number| !number.is_empty())
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn verdicts_and_figures_are_those_of_the_english_report() {
    for case in CASES {
        let (english, chinese) = (told(Language::English, case), told(Language::Chinese, case));
        assert_eq!(english.figures, chinese.figures);
        for (one, other) in english.claims.iter().zip(&chinese.claims) {
            assert_eq!((&one.verdict, &one.estimate), (&other.verdict, &other.estimate));
            assert_eq!(
                numbers(&one.sentence),
                numbers(&other.sentence),
                "{}\n{}",
                one.sentence,
                other.sentence
            );
            assert_eq!(one.reasons, other.reasons);
            let of_english = sentences(Language::English, &one.reasons).join(" ");
            let of_chinese = sentences(Language::Chinese, &one.reasons).join(" ");
            assert_eq!(numbers(&of_english), numbers(&of_chinese), "{of_english}\n{of_chinese}");
            assert!(
                other.sentence.is_empty() || other.sentence.chars().any(is_chinese),
                "{}",
                other.sentence
            );
        }
        assert_eq!(english.limits, chinese.limits);
        let [of_english, of_chinese] = Language::ALL.map(|language| sentences(language, &english.limits));
        for (one, other) in of_english.iter().zip(&of_chinese) {
            assert_eq!(numbers(one), numbers(other), "{one}\n{other}");
            assert!(other.chars().any(is_chinese), "{other}");
        }
    }
}

#[test]
fn what_programs_read_is_english_in_any_scope() {
    let english = told(Language::English, CASE);
    assert_eq!(json(&english), in_chinese(|| json(&english)));
    assert!(!json(&english).chars().any(is_chinese));
}

#[test]
fn no_chinese_report_says_what_none_may_say() {
    let never = ["没有差异", "无差异", "没有区别", "无区别", "没有不同", "一样快", "显著", "p 值", "P 值"];
    for case in CASES {
        let result = told(Language::Chinese, case);
        assert!(result.claims.iter().all(|claim| claim.sentence.contains("论断“")), "{:?}", result.claims);
        let drawn = in_chinese(|| {
            [text(&result, false), markdown(&result), html(&result, &[]), junit(&result, Undecided::Skip)]
        });
        for drawn in drawn {
            let found = never.iter().find(|phrase| drawn.contains(*phrase));
            assert_eq!(found, None, "{drawn}");
        }
    }
    let open = told(Language::Chinese, CASES[1]);
    let undecided =
        open.claims.iter().find(|claim| claim.verdict == Verdict::Undecided).expect("an open claim");
    assert!(undecided.sentence.contains("区间容许两种结论；分辨力为 ±"), "{}", undecided.sentence);
}
