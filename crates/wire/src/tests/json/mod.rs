//! Calls as JSON, and answers of JSON-RPC.

mod answers;
mod writes;
