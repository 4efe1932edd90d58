//! Names of servers that are compared, without what all of them have in common.

use proofload_language::tr;
use proofload_store::schema::{Plan, Variant};

/// Longest command in a line of a list.
const COMMAND_MAX: usize = 40;

/// The names without their common beginning and end, as far as these are whole parts; as they are where nothing would be left
/// of one.
fn apart(names: &[String], ends: impl Fn(char) -> bool + Copy) -> Vec<String> {
    let Some(first) = names.first().filter(|_| names.len() > 1) else { return names.to_vec() };
    let common = |pairs: &dyn Fn(&str) -> usize| names.iter().map(|name| pairs(name)).min().unwrap_or(0);
    let same = |name: &str| {
        let matching = first.chars().zip(name.chars()).take_while(|(a, b)| a == b);
        matching.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let begin = first[..common(&same)]
        .rfind(ends)
        .map_or(0, |at| at + first[at..].chars().next().map_or(0, char::len_utf8));
    let same = |name: &str| {
        let matching = first.chars().rev().zip(name.chars().rev()).take_while(|(a, b)| a == b);
        matching.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let tail = &first[first.len() - common(&same)..];
    let end = tail.find(ends).map_or(0, |at| tail.len() - at);
    let cut = |name: &String| name.get(begin..name.len().saturating_sub(end)).map(str::to_string);
    let short: Option<Vec<String>> = names.iter().map(cut).collect();
    short.filter(|short| short.iter().all(|name| !name.is_empty())).unwrap_or_else(|| names.to_vec())
}

/// `8181` and `8182` of `localhost:8181` and `localhost:8182`.
pub(crate) fn short(plan: &Plan) -> Vec<String> {
    let names: Vec<String> = plan.variants.iter().map(|variant| variant.name.clone()).collect();
    apart(&names, |c| matches!(c, ':' | '.' | '/'))
}

/// `localhost:8181, localhost:8182`.
pub(crate) fn all(plan: &Plan) -> String {
    let names: Vec<&str> = plan.variants.iter().map(|variant| variant.name.as_str()).collect();
    names.join(tr!("between-items"))
}

/// `a = ./server --port {port}`, for each name that is only a letter.
pub(crate) fn legend(plan: &Plan) -> Vec<String> {
    let line = |variant: &Variant| Some(format!("{} = {}", variant.name, meaning(variant)?));
    plan.variants.iter().filter_map(line).collect()
}

/// Command or description behind a letter; `None` for longer names.
fn meaning(variant: &Variant) -> Option<String> {
    let is_letter = variant.name.len() == 1;
    match variant.command.as_slice() {
        _ if !is_letter => None,
        [] => Some(variant.description.clone()),
        words => Some(words.join(" ")),
    }
}

/// For a line of a list: the first in full and the others without what is the same, commands by the words in which they
/// differ.
pub(crate) fn in_list(plan: &Plan) -> Vec<String> {
    let meanings: Option<Vec<String>> = plan.variants.iter().map(meaning).collect();
    if let Some(commands) = meanings {
        let clipped = |name: String| match name.char_indices().nth(COMMAND_MAX) {
            Some((at, _)) => format!("{}…", &name[..at]),
            None => name,
        };
        return apart(&commands, char::is_whitespace)
            .into_iter()
            .map(|name| clipped(name.trim().to_string()))
            .collect();
    }
    let mut names = short(plan);
    if let (Some(name), Some(first)) = (names.first_mut(), plan.variants.first()) {
        name.clone_from(&first.name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Vec<String> {
        let variant = |name: &&str| Variant { name: name.to_string(), ..Variant::default() };
        short(&Plan { variants: of.iter().map(variant).collect(), ..Plan::default() })
    }

    #[test]
    fn what_all_names_have_in_common_is_left_out_in_whole_parts() {
        assert_eq!(names(&["localhost:8181", "localhost:8182"]), ["8181", "8182"]);
        assert_eq!(names(&["a.example.org:80", "b.example.org:80"]), ["a", "b"]);
        assert_eq!(names(&["nio", "nio2"]), ["nio", "nio2"]);
        assert_eq!(names(&["x:80", "x:80"]), ["x:80", "x:80"], "nothing would be left");
        assert_eq!(names(&["é:1", "é:2"]), ["1", "2"]);
    }

    #[test]
    fn a_command_is_named_by_the_words_in_which_it_differs() {
        let variant = |name: &str, work: &str| Variant {
            name: name.into(),
            command: ["./server", "--port", "{port}", "--work", work].map(str::to_string).to_vec(),
            ..Variant::default()
        };
        let plan = Plan {
            variants: vec![variant("a", "spin:200us"), variant("b", "spin:220us")],
            ..Plan::default()
        };
        assert_eq!(in_list(&plan), ["spin:200us", "spin:220us"]);
    }
}
