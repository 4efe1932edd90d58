//! Choice of the language.

use std::cell::Cell;

/// A language that Proofload speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English: what records and formats for programs are written in, too.
    #[default]
    English,
    Chinese,
}

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// Restores the language that was spoken before, even after a panic.
struct Before(Language);

impl Drop for Before {
    fn drop(&mut self) {
        SPOKEN.with(|spoken| spoken.set(self.0));
    }
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Its tag, as `lang` of a page and `--lang` have it.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-CN",
        }
    }

    /// Runs `saying` in this language. Threads that it starts speak English until they open a scope of their own.
    pub fn within<T>(self, saying: impl FnOnce() -> T) -> T {
        let _before = Before(SPOKEN.with(|spoken| spoken.replace(self)));
        saying()
    }

    /// The language of the innermost scope of this thread.
    pub fn spoken() -> Language {
        SPOKEN.with(Cell::get)
    }

    /// The language of a user's locale, of the variables that POSIX looks at in its order: the first of `LC_ALL`,
    /// `LC_MESSAGES` and `LANG` that is set and not empty counts. `variable` gives the value of one.
    pub fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Language {
        let named = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(variable)
            .find(|value| !value.is_empty());
        named.map_or(Language::English, |locale| Language::of_name(&locale))
    }

    /// `zh_CN.UTF-8`, `zh-Hans`, `zh`: Chinese; in traditional characters there is none.
    fn of_name(locale: &str) -> Language {
        let name = locale.split(['.', '@']).next().unwrap_or_default().to_ascii_lowercase().replace('-', "_");
        match name.as_str() {
            "zh" | "zh_cn" | "zh_sg" | "zh_my" | "zh_hans" => Language::Chinese,
            name if name.starts_with("zh_hans_") => Language::Chinese,
            _ => Language::English,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Language {
        Language::of_locale(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_string())
        })
    }

    #[test]
    fn variables_count_in_the_order_of_posix() {
        let chinese = "zh_CN.UTF-8";
        assert_eq!(of(&[("LANG", chinese)]), Language::Chinese);
        assert_eq!(of(&[("LANG", chinese), ("LC_MESSAGES", "C")]), Language::English);
        assert_eq!(of(&[("LANG", "C"), ("LC_ALL", chinese), ("LC_MESSAGES", "de_DE")]), Language::Chinese);
        assert_eq!(of(&[("LANG", chinese), ("LC_ALL", "")]), Language::Chinese, "an empty one is not set");
        assert_eq!(of(&[]), Language::English);
    }

    #[test]
    fn simplified_characters_are_for_those_who_write_them() {
        for (locale, language) in [
            ("zh_CN.GB18030", Language::Chinese),
            ("zh-Hans", Language::Chinese),
            ("zh", Language::Chinese),
            ("zh_CN@pinyin", Language::Chinese),
            ("zh_Hans_CN", Language::Chinese),
            ("zh_TW.UTF-8", Language::English),
            ("zh_HK", Language::English),
            ("C", Language::English),
            ("C.UTF-8", Language::English),
            ("POSIX", Language::English),
            ("zhuang", Language::English),
            ("de_CH.UTF-8", Language::English),
        ] {
            assert_eq!(of(&[("LC_ALL", locale)]), language, "{locale}");
        }
    }

    #[test]
    fn a_scope_ends_where_it_panics() {
        let caught = std::panic::catch_unwind(|| Language::Chinese.within(|| panic!("planted")));
        assert!(caught.is_err());
        assert_eq!(Language::spoken(), Language::English);
    }
}
