//! The fuzz target on random pieces of expressions and answers.

mod fuzzed;

use proptest::prelude::*;

const PIECES: [&str; 64] = [
    "$",
    ".",
    "..",
    "[",
    "]",
    "?",
    "@",
    "*",
    "a",
    "b",
    "0",
    "1",
    "-1",
    ":",
    ",",
    "'",
    "\"",
    "(",
    ")",
    "==",
    "<",
    ">",
    "/",
    "//",
    "::",
    "self",
    "|",
    "#",
    "+",
    "~",
    "=",
    "^=",
    "$=",
    ":not(",
    ":nth-child(",
    "2n+1",
    "search(@,",
    "count(",
    "not(",
    "text()",
    "following::",
    "{",
    "}",
    "\"a\":",
    "true",
    "null",
    "\"$ref\":\"#\"",
    "\"items\":",
    "\"type\":\"string\"",
    "\"not\":",
    "<a>",
    "</a>",
    "<a b='1'/>",
    "<p>",
    "<li>",
    "<td>",
    "<!--",
    "-->",
    "&lt;",
    "é",
    "\\",
    " ",
    "\0",
    "<script>",
];

proptest! {
    #[test]
    fn pieces(all in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        fuzzed::extract(all.concat().as_bytes());
    }

    #[test]
    fn an_answer_for_expressions_that_are_right(expression in 0..9usize, all in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        let expressions = [
            "$..a", "$[?@.a == 1]", "a(.)?", "//a/@b", "//a[last()]", "a:nth-last-child(odd) > a", "li, p a",
            r##"{"items":{"$ref":"#"},"not":{"type":"string"}}"##, "count(//*)",
        ];
        fuzzed::extract(format!("{}\0{}", expressions[expression], all.concat()).as_bytes());
    }
}
