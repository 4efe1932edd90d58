//! Rules that depend on parameters: combinations that apply, and values that follow from others.

use proofload_facts::Mistake;
use std::collections::BTreeMap;

/// The values of all parameters. A subject that several variants share has several values of one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) plain: BTreeMap<String, String>,
    /// The shared parameter with the levels of all variants, when they share one start.
    pub(crate) shared: Option<(String, Vec<String>)>,
}

impl Values {
    /// All values that a parameter has at once.
    fn of(&self, name: &str) -> Vec<&str> {
        match &self.shared {
            Some((shared, levels)) if shared == name => levels.iter().map(String::as_str).collect(),
            _ => self.plain.get(name).map(String::as_str).into_iter().collect(),
        }
    }

    /// The value as it is shown and filled in; shared ones are joined by `+`.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let found = self.of(name);
        (!found.is_empty()).then(|| found.join("+"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    Word(String),
    /// Both ends included; an end that is missing is open.
    Range(Option<u64>, Option<u64>),
}

impl Pattern {
    /// `21..`, `..20`, `11..20` are ranges, everything else is a word.
    pub(crate) fn parse(text: &str) -> Pattern {
        let end = |text: &str| match text {
            "" => Some(None),
            digits => digits.parse().ok().map(Some),
        };
        let range = text.split_once("..").and_then(|(min, max)| Some((end(min)?, end(max)?)));
        match range {
            Some((min, max)) if min.is_some() || max.is_some() => Pattern::Range(min, max),
            _ => Pattern::Word(text.to_string()),
        }
    }

    fn fits(&self, value: &str) -> bool {
        match self {
            Pattern::Word(word) => word == value,
            Pattern::Range(min, max) => value.parse::<u64>().is_ok_and(|number| {
                min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
            }),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Pattern::Word(word) => f.write_str(word),
            Pattern::Range(Some(min), Some(max)) => write!(f, "{min} to {max}"),
            Pattern::Range(Some(min), None) => write!(f, "{min} or more"),
            Pattern::Range(None, Some(max)) => write!(f, "{max} or less"),
            Pattern::Range(None, None) => f.write_str("any"),
        }
    }
}

/// For each parameter named, one of these values. Without any it always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Condition(pub(crate) Vec<(String, Vec<Pattern>)>);

impl Condition {
    /// Of several shared values one is enough.
    pub(crate) fn holds(&self, values: &Values) -> bool {
        self.0.iter().all(|(name, patterns)| {
            values.of(name).iter().any(|value| patterns.iter().any(|pattern| pattern.fits(value)))
        })
    }

    fn shown(&self, values: &Values) -> String {
        let pairs = self.0.iter().map(|(name, _)| format!("{name}={}", values.of(name).join("+")));
        pairs.collect::<Vec<_>>().join(",")
    }
}

/// A combination that the subject cannot be: where `when` holds, `need` must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) when: Condition,
    pub(crate) need: Condition,
    pub(crate) because: String,
}

impl Rule {
    /// # Errors
    /// The combination, and the values that it needs.
    pub(crate) fn check(&self, values: &Values) -> Result<(), Mistake> {
        if !self.when.holds(values) || self.need.holds(values) {
            return Ok(());
        }
        let failing: Vec<&(String, Vec<Pattern>)> =
            self.need.0.iter().filter(|one| !Condition(vec![(*one).clone()]).holds(values)).collect();
        let with = failing.iter().map(|(name, _)| format!("{name}={}", values.of(name).join("+")));
        let with = with.collect::<Vec<_>>().join(",");
        let form = failing.iter().map(|(name, patterns)| {
            let words: Vec<String> = patterns.iter().map(ToString::to_string).collect();
            format!("{name}: {}", words.join(" | "))
        });
        let form = form.collect::<Vec<_>>().join(", ");
        let (when, because) = (self.when.shown(values), self.because.clone());
        Err(Mistake::NotApplicable { when, with, because, form })
    }

    /// As it is explained to a person.
    pub(crate) fn explain(&self) -> String {
        let one = |condition: &Condition| {
            let parts = condition.0.iter().map(|(name, patterns)| {
                let words: Vec<String> = patterns.iter().map(ToString::to_string).collect();
                format!("{name} {}", words.join(" | "))
            });
            parts.collect::<Vec<_>>().join(" and ")
        };
        format!("{} needs {}: {}", one(&self.when), one(&self.need), self.because)
    }
}

/// A placeholder whose text follows from parameters: that of the first case that holds, else empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) name: String,
    pub(crate) cases: Vec<(Condition, String)>,
}

impl Derived {
    /// The template of the case that holds.
    pub(crate) fn template(&self, values: &Values) -> &str {
        let case = self.cases.iter().find(|(when, _)| when.holds(values));
        case.map_or("", |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Values {
        let plain = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Values { plain, shared: None }
    }

    fn condition(pairs: &[(&str, &[&str])]) -> Condition {
        let one = |(name, words): &(&str, &[&str])| {
            (name.to_string(), words.iter().map(|word| Pattern::parse(word)).collect())
        };
        Condition(pairs.iter().map(one).collect())
    }

    #[test]
    fn a_range_holds_at_both_of_its_ends_and_a_version_is_no_range() {
        let jdk = |value: &str| condition(&[("jdk", &["21..24"])]).holds(&values(&[("jdk", value)]));
        assert_eq!([jdk("20"), jdk("21"), jdk("24"), jdk("25"), jdk("x")], [false, true, true, false, false]);
        assert_eq!(Pattern::parse("9.0.110"), Pattern::Word("9.0.110".into()));
        assert_eq!(Pattern::parse(".."), Pattern::Word("..".into()));
        assert_eq!(Pattern::parse("..20"), Pattern::Range(None, Some(20)));
    }

    #[test]
    fn a_combination_that_does_not_apply_is_named_with_what_would() {
        let rule = Rule {
            when: condition(&[("connector", &["apr"])]),
            need: condition(&[("version", &["8.5", "9.0"]), ("jdk", &["11.."])]),
            because: "it has gone".into(),
        };
        let apr = |version| values(&[("connector", "apr"), ("version", version), ("jdk", "17")]);
        rule.check(&apr("9.0")).unwrap();
        rule.check(&values(&[("connector", "nio"), ("version", "11")])).unwrap();
        let told = rule.check(&apr("11")).unwrap_err();
        let [when, with, because, form] =
            ["connector=apr", "version=11", "it has gone", "version: 8.5 | 9.0"].map(str::to_string);
        assert_eq!(told, Mistake::NotApplicable { when, with, because, form });
    }

    #[test]
    fn of_shared_values_one_is_enough() {
        let mut shared = values(&[("connector", "nio")]);
        shared.shared = Some(("connector".into(), vec!["nio".into(), "apr".into()]));
        let derived = Derived {
            name: "native".into(),
            cases: vec![(condition(&[("connector", &["apr"])]), "yes".into()), (condition(&[]), "no".into())],
        };
        assert_eq!(derived.template(&shared), "yes");
        assert_eq!(derived.template(&values(&[("connector", "nio")])), "no");
        assert_eq!(shared.text("connector").as_deref(), Some("nio+apr"));
    }
}
