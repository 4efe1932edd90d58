//! Arguments of `proofload schema`.

use clap::Args;

/// `proofload schema`.
#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// Of what: study, or an output, such as result, plan or history
    #[arg(value_name = "NAME", default_value = "study")]
    pub name: String,
}
