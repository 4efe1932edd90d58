//! Arguments of agents and their coordinator.

use super::RunArgs;
use clap::Args;
use proofload_agents::MOST_AGENTS;
use std::net::SocketAddr;
use std::path::PathBuf;

/// `proofload agent`.
#[derive(Debug, Clone, Args)]
pub struct AgentArgs {
    /// Address of the coordinator
    #[arg(long, value_name = "HOST:PORT")]
    pub join: String,
    /// File with the token that agents and coordinator share
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// This agent's number, from 0 [default: that of a Kubernetes, Slurm, MPI, AWS Batch or Cloud Run job, or dealt]
    #[arg(long, value_name = "N")]
    pub index: Option<u32>,
    /// How long to try to reach the coordinator
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub wait: String,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

/// `proofload coordinator STUDY`.
#[derive(Debug, Clone, Args)]
#[command(
    mut_args(not_local),
    override_usage = "proofload coordinator STUDY --agents N --listen ADDR --token-file FILE"
)]
pub struct CoordinatorArgs {
    /// Address to listen on for agents (0.0.0.0:7600)
    #[arg(long, value_name = "ADDR")]
    pub listen: SocketAddr,
    /// File with the token that agents and coordinator share
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// How long to wait for the agents
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub wait: String,
    /// The study and how it is run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Here the agents come from elsewhere, as many as are said.
fn not_local(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "agents" => arg
            .required(true)
            .hide_short_help(false)
            .value_parser(clap::value_parser!(u32).range(1..=i64::from(MOST_AGENTS)))
            .help("Number of agents to wait for"),
        // As of `run`, whose help has them all.
        "set" | "only" | "baseline" | "verbose" => arg.hide_short_help(true),
        _ => arg,
    }
}
