//! CSS selectors as XPath: names, `#id`, `.class`, attributes, combinators, lists, positions and `:not()`.

use crate::selector::SelectorError;

type Made<T> = Result<T, SelectorError>;

/// XPath of a selector's elements in HTML, or of that attribute of theirs.
pub fn to_xpath(selector: &str, attribute: Option<&str>) -> Made<String> {
    let mut reader = Reader { text: selector, at: 0 };
    let attribute = match attribute {
        Some(name) => format!("/@{}", Reader { text: name, at: 0 }.whole_name()?),
        None => String::new(),
    };
    let mut paths = Vec::new();
    loop {
        paths.push(reader.path()? + &attribute);
        if !reader.skip(',') {
            break;
        }
    }
    match reader.rest().is_empty() {
        true => Ok(paths.join(" | ")),
        false => Err(reader.wrong("is not understood here")),
    }
}

/// Conditions of one element.
#[derive(Default)]
struct Compound {
    /// Lower case; empty is any.
    name: String,
    /// Of its place among its siblings, which come before those of itself.
    places: Vec<String>,
    /// True if places count elements of the same name only.
    of_type: Option<bool>,
    own: Vec<String>,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn wrong(&self, what: &str) -> SelectorError {
        let what = match self.peek() {
            Some(found) => format!("`{found}` {what}"),
            None => format!("the end {what}"),
        };
        SelectorError::new(what, Some(self.at))
    }

    fn refused(&self, what: impl Into<String>) -> SelectorError {
        SelectorError::new(what, Some(self.at))
    }

    /// Passes a text if it is next.
    fn skip(&mut self, text: impl Into<String>) -> bool {
        let text = text.into();
        let here = self.rest().starts_with(&text);
        self.at += if here { text.len() } else { 0 };
        here
    }

    fn blanks(&mut self) -> bool {
        let before = self.at;
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
        self.at > before
    }

    fn path(&mut self) -> Made<String> {
        self.blanks();
        let mut path = step('/', self.compound()?).ok_or_else(|| self.wrong("comes too late"))?;
        loop {
            let blank = self.blanks();
            let combinator = match self.peek() {
                None | Some(',') => return Ok(path),
                Some(sign @ ('>' | '+' | '~')) => sign,
                Some(_) if blank => ' ',
                Some(_) => return Err(self.wrong("is not understood here")),
            };
            if combinator != ' ' {
                self.at += 1;
                self.blanks();
            }
            let compound = self.compound()?;
            let next = step(combinator, compound);
            path += &next.ok_or_else(|| self.refused("a position cannot be asked behind + or ~"))?;
        }
    }

    fn compound(&mut self) -> Made<Compound> {
        let (start, mut made) = (self.at, Compound::default());
        if !self.skip('*') && self.peek().is_some_and(starts_name) {
            made.name = self.name()?.to_ascii_lowercase();
        }
        loop {
            match self.peek() {
                Some('#') => {
                    self.at += 1;
                    made.own.push(format!("@id = {}", self.quoted_name()?));
                }
                Some('.') => {
                    self.at += 1;
                    let name = self.name()?;
                    made.own.push(has_word("class", name));
                }
                Some('[') => {
                    self.at += 1;
                    made.own.push(self.attribute()?);
                }
                Some(':') => self.pseudo(&mut made)?,
                _ if self.at > start => return Ok(made),
                _ => return Err(self.wrong("is no element")),
            }
        }
    }

    fn name(&mut self) -> Made<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len());
        if !rest.chars().next().is_some_and(starts_name) {
            return Err(self.wrong("begins no name"));
        }
        self.at += end;
        if self.peek() == Some('\\') {
            return Err(self.refused("names with `\\` are not understood: write [class=\"…\"] or [id=\"…\"]"));
        }
        Ok(&rest[..end])
    }

    fn quoted_name(&mut self) -> Made<String> {
        Ok(format!("'{}'", self.name()?))
    }

    fn whole_name(&mut self) -> Made<String> {
        let name = self.name()?.to_ascii_lowercase();
        if self.rest().is_empty() { Ok(name) } else { Err(self.wrong("is no part of an attribute's name")) }
    }

    /// The part between `[` and `]`.
    fn attribute(&mut self) -> Made<String> {
        self.blanks();
        let name = self.name()?.to_ascii_lowercase();
        self.blanks();
        if self.skip(']') {
            return Ok(format!("@{name}"));
        }
        let signs = ["=", "~=", "|=", "^=", "$=", "*="];
        let Some(sign) = signs.into_iter().find(|sign| self.skip(*sign)) else {
            return Err(self.wrong("is not understood here"));
        };
        self.blanks();
        let value = match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                let inner = &self.rest()[1..];
                let end = inner.find(quote).ok_or_else(|| self.refused("a quote is not closed"))?;
                self.at += end + 2;
                &inner[..end]
            }
            _ => self.name()?,
        };
        self.blanks();
        if !self.skip(']') {
            return Err(self.wrong("is not `]`"));
        }
        if value.contains('\\') || value.contains('"') && value.contains('\'') {
            return Err(self.refused("a value with `\\` or with both quotes is not understood"));
        }
        let quoted = if value.contains('\'') { format!("\"{value}\"") } else { format!("'{value}'") };
        Ok(match sign {
            "=" => format!("@{name} = {quoted}"),
            "|=" => format!("(@{name} = {quoted} or starts-with(@{name}, concat({quoted}, '-')))"),
            "~=" if !value.contains(char::is_whitespace) && !value.is_empty() => has_word_in(&name, &quoted),
            "^=" if !value.is_empty() => format!("starts-with(@{name}, {quoted})"),
            "*=" if !value.is_empty() => format!("contains(@{name}, {quoted})"),
            "$=" if !value.is_empty() => {
                let before = value.chars().count() - 1;
                format!("substring(@{name}, string-length(@{name}) - {before}) = {quoted}")
            }
            _ => "false()".to_string(),
        })
    }

    fn pseudo(&mut self, made: &mut Compound) -> Made<()> {
        let start = self.at;
        self.at += 1;
        let name = self.name()?;
        let inner = match self.skip('(') {
            true => {
                let inside = self.at;
                let mut depth = 1;
                let end = self.rest().find(|c: char| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                self.at += end.ok_or_else(|| self.refused("`(` is not closed"))? + 1;
                Some((inside, &self.text[inside..self.at - 1]))
            }
            false => None,
        };
        let (kind, of_type) = match name.strip_suffix("-of-type") {
            Some(kind) => (kind, true),
            None => (name.strip_suffix("-child").unwrap_or(name), false),
        };
        let back = "(last() - position() + 1)";
        let place = match (kind, inner) {
            ("first", None) => "position() = 1".to_string(),
            ("last", None) => "position() = last()".to_string(),
            ("only", None) => "last() = 1".to_string(),
            ("nth", Some((_, of))) => {
                nth("position()", of).ok_or_else(|| self.refused(format!("`{of}` is no position")))?
            }
            ("nth-last", Some((_, of))) => {
                nth(back, of).ok_or_else(|| self.refused(format!("`{of}` is no position")))?
            }
            ("not", Some((at, _))) if !of_type => {
                let mut inside = Reader { text: &self.text[..self.at - 1], at };
                inside.blanks();
                let other = inside.compound()?;
                inside.blanks();
                if !inside.rest().is_empty() {
                    return Err(inside.wrong("is not understood within :not()"));
                }
                return made.unless(other).ok_or_else(|| self.refused("its positions are of two kinds"));
            }
            _ => {
                self.at = start;
                let known = "first-child, last-child, only-child, nth-child(), nth-last-child(), the same with of-type, not()";
                return Err(self.refused(format!(":{name} is not understood; these are: {known}")));
            }
        };
        made.place(place, of_type)
            .ok_or_else(|| self.refused("its positions are of two kinds, or of a type without name"))
    }
}

impl Compound {
    /// `None` if positions of all siblings and of those of a type meet.
    fn place(&mut self, place: String, of_type: bool) -> Option<()> {
        let fits = *self.of_type.get_or_insert(of_type) == of_type && !(of_type && self.name.is_empty());
        self.places.push(place);
        fits.then_some(())
    }

    fn unless(&mut self, other: Compound) -> Option<()> {
        let Compound { name, places, of_type, mut own } = other;
        if !name.is_empty() {
            own.push(format!("self::{name}"));
        }
        if own.is_empty() && places.is_empty() {
            own.push("true()".to_string());
        }
        match of_type {
            // Where a position is asked, all of it is: behind another condition it would count what that left.
            Some(of_type) => {
                own.extend(places);
                self.place(format!("not({})", own.join(" and ")), of_type)
            }
            None => {
                self.own.push(format!("not({})", own.join(" and ")));
                Some(())
            }
        }
    }
}

/// Step of a path. `None` for a position among what `+` and `~` lead to.
fn step(combinator: char, compound: Compound) -> Option<String> {
    let Compound { name, places, of_type, own } = compound;
    let any = if name.is_empty() { "*" } else { &name };
    let own: String = own.iter().map(|condition| format!("[{condition}]")).collect();
    let of_self = if name.is_empty() { String::new() } else { format!("[self::{name}]") };
    let axis = match (combinator, of_type) {
        ('>', _) => "/",
        ('+' | '~', Some(_)) => return None,
        ('+', None) => return Some(format!("/following-sibling::*[1]{of_self}{own}")),
        ('~', None) => "/following-sibling::",
        (_, Some(_)) => "/descendant-or-self::node()/",
        (_, None) => "/descendant::",
    };
    Some(match of_type {
        None => format!("{axis}{any}{own}"),
        Some(true) => format!("{axis}{any}[{}]{own}", places.join(" and ")),
        Some(false) => format!("{axis}*[{}]{of_self}{own}", places.join(" and ")),
    })
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '-'
}

fn has_word(attribute: &str, word: &str) -> String {
    has_word_in(attribute, &format!("'{word}'"))
}

fn has_word_in(attribute: &str, quoted: &str) -> String {
    format!("contains(concat(' ', normalize-space(@{attribute}), ' '), concat(' ', {quoted}, ' '))")
}

/// Condition that a position is `an+b`.
fn nth(position: &str, of: &str) -> Option<String> {
    let of: String = of.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let (every, from) = match &*of {
        "odd" => (2, 1),
        "even" => (2, 0),
        _ => match of.split_once('n') {
            None => (0, of.parse::<i32>().ok()?),
            Some((every, from)) => {
                let every = match every {
                    "" | "+" => 1,
                    "-" => -1,
                    number => number.parse::<i32>().ok()?,
                };
                (every, if from.is_empty() { 0 } else { from.parse::<i32>().ok()? })
            }
        },
    };
    Some(match every {
        0 => format!("{position} = {from}"),
        1.. => format!("({position} >= {from} and ({position} - ({from})) mod {every} = 0)"),
        _ => format!("({position} <= {from} and ({from} - {position}) mod {} = 0)", every.unsigned_abs()),
    })
}
