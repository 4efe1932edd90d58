//! The secret in every address.

use crate::ui::UiError;
use data_encoding::HEXLOWER;
use subtle::ConstantTimeEq;

/// 128 bits.
const BYTES: usize = 16;

/// Secret that an address must begin with. Has no `Debug`: it belongs in the printed address and nowhere
/// else.
pub struct Token(String);

impl Token {
    /// A new one, from the kernel's random numbers.
    pub fn random() -> Result<Token, UiError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(UiError::Random)?;
        Ok(Token(HEXLOWER.encode(&bytes)))
    }

    /// True if `given` is the token; takes as long for a text that begins right as for one that does not.
    pub fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_the_token() {
        let token = Token::random().expect("random numbers");
        assert_eq!(token.text().len(), 2 * BYTES);
        assert!(token.is(token.text()));
        let other = Token::random().expect("random numbers");
        let [cut, longer] = [token.text()[1..].to_string(), format!("{}0", token.text())];
        for wrong in [
            "",
            other.text(),
            &cut,
            &longer,
            &token.text().to_uppercase().replace(|c: char| c.is_ascii_digit(), "A"),
        ] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }
}
