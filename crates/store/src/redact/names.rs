//! Names of credentials.

/// In any part of a name, whatever is around it.
const ANYWHERE: [&str; 9] = [
    "authorization",
    "credential",
    "passphrase",
    "password",
    "passcode",
    "passwd",
    "secret",
    "apikey",
    "privatekey",
];

/// The last words of a name, digits and `value` after them aside: `jsessionid`, `X-Auth`, `GITHUB_PAT`.
const LAST: [&str; 20] = [
    "assertion",
    "auth",
    "bearer",
    "cookie",
    "cookies",
    "cookie2",
    "csrf",
    "hmac",
    "jsessionid",
    "jwt",
    "otp",
    "pass",
    "pat",
    "phpsessid",
    "pwd",
    "session",
    "sessionid",
    "sid",
    "sig",
    "signature",
];

/// Words before `key` in names of credentials: `access-key`, `license_key`.
const OF_KEYS: [&str; 16] = [
    "access",
    "account",
    "api",
    "auth",
    "client",
    "encryption",
    "function",
    "license",
    "master",
    "private",
    "session",
    "shared",
    "signing",
    "storage",
    "subscription",
    "x",
];

/// Words after `token` that make it a property of tokens, not a token.
const OF_TOKENS: [&str; 16] = [
    "budget", "count", "endpoint", "expiry", "file", "length", "lifetime", "limit", "name", "path", "per",
    "size", "ttl", "type", "uri", "url",
];

/// Words that end like a password and are not one.
const NO_PASSWORDS: [&str; 6] = ["bypass", "compass", "encompass", "surpass", "trespass", "underpass"];

/// True if a value of this name is a credential. In names `-`, `.`, `_`, blanks and capital letters separate
/// words.
pub fn is_sensitive(name: &str) -> bool {
    let name = name.trim().trim_start_matches('-');
    // The working directory of a shell.
    if name == "PWD" || name == "OLDPWD" {
        return false;
    }
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if ANYWHERE.iter().any(|part| plain.contains(part)) {
        return true;
    }
    let words = words(name);
    if words.windows(2).any(|pair| pair[1] == "key" && OF_KEYS.contains(&pair[0].as_str())) {
        return true;
    }
    let is_token = |(at, word): (usize, &String)| {
        let next = words.get(at + 1).map_or("", String::as_str);
        (word.ends_with("token") || word == "tokens") && !OF_TOKENS.contains(&next)
    };
    if words.iter().enumerate().any(is_token) {
        return true;
    }
    let said = words.iter().rposition(|word| !["value", "id", "header"].contains(&word.as_str()));
    let Some(last) = said.map(|at| words[at].as_str()) else { return false };
    let is_password = last.ends_with("pass") || last.ends_with("pwd");
    LAST.contains(&last) || last.ends_with("accesskey") || is_password && !NO_PASSWORDS.contains(&last)
}

/// True if even a bare number of this name is a credential: `max_tokens: 4096` is not, `password: 4096` is.
pub(super) fn is_sensitive_number(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    ANYWHERE.iter().any(|part| plain.contains(part)) || plain == "pin" || plain == "pwd"
}

/// Header fields of which the whole line is a credential.
pub(super) fn is_field(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let whole = ["authorization", "cookie", "set-cookie", "set-cookie2"];
    whole.contains(&name.as_str()) || name.contains('-') && is_sensitive(&name)
}

/// The words of a name in small letters, digits at their ends aside.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if before.is_ascii_lowercase() && letter.is_ascii_uppercase() || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    let kept = words.iter().map(|word| match word.as_str() {
        "cookie2" => word.clone(),
        word => word.trim_end_matches(|c: char| c.is_ascii_digit()).to_string(),
    });
    kept.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_told_from_others() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "Cookie",
            "Set-Cookie",
            "X-Api-Key",
            "x-auth-token",
            "X-Auth",
            "X-Vault-Token",
            "X-Amz-Signature",
            "X-Amz-Security-Token",
            "pwd",
            "pass",
            "--pass",
            "MYSQL_PWD",
            "keystorePass",
            "dbpass",
            "signature",
            "sig",
            "session",
            "sessionId",
            "jsessionid",
            "JSESSIONID",
            "access-key",
            "accessKey",
            "AWS_SECRET_ACCESS_KEY",
            "license_key",
            "GITHUB_PAT",
            "password2",
            "token_value",
            "tokens",
            "refreshToken",
            "client_secret",
            "-Djavax.net.ssl.keyStorePassword",
            "PGPASSWORD",
            "private.key",
            "id_token",
            "api_key",
            "apikey",
            "session_cookie",
            "auth",
            "jwt",
            "secret",
        ] {
            assert!(is_sensitive(name), "{name}");
        }
        for name in [
            "",
            "PWD",
            "key",
            "x",
            "Host",
            "author",
            "authority",
            "keyboard",
            "compass",
            "bypass",
            "tokenizer",
            "token_type",
            "token_endpoint",
            "token_count",
            "passage",
            "pattern",
            "sessions",
            "session_timeout",
            "design",
            "signal",
            "path",
            "throughput",
            "heap",
            "connections",
            "keep-alive",
            "cache-key",
            "sidecar",
        ] {
            assert!(!is_sensitive(name), "{name}");
        }
        assert!(!is_sensitive_number("max_tokens") && is_sensitive_number("db.password"));
    }
}
