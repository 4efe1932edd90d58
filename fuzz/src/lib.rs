//! What the fuzz targets run: the very files that the tests of `wire` and `engine` run on seeds and on random bytes,
//! so that neither can rot without the other.

#[path = "../../crates/wire/src/tests/laws.rs"]
pub mod laws;

#[path = "../../crates/wire/src/tests/ajp/fuzzed.rs"]
pub mod ajp;

#[path = "../../crates/wire/src/tests/dubbo/fuzzed.rs"]
pub mod dubbo;

#[path = "../../crates/wire/src/tests/http1/fuzzed.rs"]
pub mod http1;

#[path = "../../crates/wire/src/tests/hessian/fuzzed.rs"]
pub mod hessian;

#[path = "../../crates/wire/src/tests/java/fuzzed.rs"]
pub mod java;

#[path = "../../crates/wire/src/tests/rmi/fuzzed.rs"]
pub mod rmi;

#[path = "../../crates/engine/tests/it/stateful/witness.rs"]
pub mod witness;

#[path = "../../crates/engine/tests/it/stateful/chaos.rs"]
pub mod chaos;

#[path = "../../crates/extract/tests/it/fuzzed.rs"]
pub mod extract;

pub mod product;
