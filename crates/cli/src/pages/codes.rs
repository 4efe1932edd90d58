//! docs/reference/codes.md: every code that a record, a result or a mistake can have, made of the doc comments in `facts`.

use super::{WRITTEN, cell};
use proofload_facts::{Known, known};

/// Name, title and description of each enumeration of facts, in the order of the page.
const KINDS: [(&str, &str, &str); 4] = [
    ("Limit", "Limits", "What limits a result: `limits` of a result, the warnings of the screen."),
    (
        "Reason",
        "Reasons",
        "Why a verdict is what it is: `reasons` of claims, expectations, comparisons and searches.",
    ),
    ("Finding", "Findings", "What was noticed while a study was planned or measured, as records keep it."),
    ("Mistake", "Mistakes", "What is wrong with a study."),
];

pub fn page() -> String {
    let mut page = format!("{WRITTEN}\n\n# Codes\n\n{INTRODUCTION}\n");
    for (of, title, about) in KINDS {
        let facts: Vec<&Known> = known().filter(|(kind, _)| *kind == of).map(|(_, fact)| fact).collect();
        if facts.is_empty() {
            continue;
        }
        page.push_str(&format!(
            "\n## {title}\n\n{about}\n\n| code | severity | what it means | what to do | numbers |\n"
        ));
        page.push_str("| --- | --- | --- | --- | --- |\n");
        facts.iter().for_each(|fact| page.push_str(&row(fact)));
    }
    page
}

const INTRODUCTION: &str = "\
Whatever Proofload finds is a fact with a code, a severity and numbers. JSON has them with an English sentence beside:

```json
{\"code\": \"overloaded\", \"variant\": \"a\", \"point\": \"5k/s\", \"stream\": \"\", \"completed_share\": 0.8,
 \"severity\": \"warning\", \"sentence\": \"overloaded: a @ 5k/s completed only 80 % of scheduled requests; …\"}
```

A code stays what it is; the sentence may become a better one, so scripts go by the code. Names of numbers end in their unit:
`_ns`, `_s`, `_share` (1 is all), `_bytes`, `_per_s`. `variant`, `point`, `stream`, `block`, `claim` and `agent` say what it is
about. `what`, `why` and `first` hold another fact. Records of formats 1 and 2 have sentences in the place of facts; these are shown
as they are.

| severity | means | shown |
| --- | --- | --- |
| `failure` | what was asked for did not happen: figures do not say what they seem to | first, everywhere |
| `warning` | some verdict or figure is limited by it | on the screen |
| `notice` | worth a line | on the screen, after all else |
| `note` | to be complete | in the full report |
";

fn row(fact: &Known) -> String {
    let mut paragraphs =
        fact.doc.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let (meaning, remedy) = (paragraphs.next().unwrap_or_default(), paragraphs.next().unwrap_or_default());
    let fields = fact.fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
    let cells = [format!("`{}`", fact.code()), fact.severity.name().to_string(), meaning, remedy, fields];
    format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "))
}
