//! What every decoder must hold, and what HTTP/1.1 is.

pub(crate) mod work;
