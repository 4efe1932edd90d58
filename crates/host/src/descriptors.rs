//! The limit of open files: this process takes what it may have, and what it starts gets what the user gave.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::sync::OnceLock;

static GIVEN: OnceLock<Rlimit> = OnceLock::new();

/// Raises the soft limit to the hard one. Refused, it stays.
pub fn raise() {
    let given = GIVEN.get_or_init(|| getrlimit(Resource::Nofile));
    let _ = setrlimit(Resource::Nofile, Rlimit { current: given.maximum, ..*given });
}

/// Takes the limit that the user gave: for a child, between fork and exec.
///
/// # Errors
/// If the kernel refuses.
pub fn give_back() -> io::Result<()> {
    GIVEN.get().map_or(Ok(()), |given| Ok(setrlimit(Resource::Nofile, *given)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_started_gets_what_the_user_gave() {
        raise();
        let now = getrlimit(Resource::Nofile);
        assert_eq!(now.current, now.maximum);
        give_back().expect("less is always granted");
        assert_eq!(getrlimit(Resource::Nofile).current, GIVEN.get().and_then(|given| given.current));
    }
}
