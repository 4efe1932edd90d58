//! Arguments of agents and their coordinator.

use super::{RunArgs, heading};
use clap::Args;
use proofload_facts::Mistake;
use proofload_remote::agents::MOST_AGENTS;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// Machines that a study runs on.
#[derive(Debug, Clone, Default, Args)]
pub struct PlacesArgs {
    /// Machines of the agents: ssh:HOST,HOST; slurm (servers on the first node of an allocation, agents on the
    /// others); kubernetes (servers in one pod, agents in pods of their own)
    #[arg(long, value_name = "ENGINE", hide_short_help = true)]
    pub on: Option<String>,
    /// Start the servers on this machine, by ssh, and load them from this one
    #[arg(long, value_name = "HOST", hide_short_help = true)]
    pub subjects_on: Option<String>,
    /// Address at which agents reach the servers [default: found by ssh, or 127.0.0.1]
    #[arg(long, value_name = "IP", hide_short_help = true)]
    pub address: Option<IpAddr>,
    /// For --on kubernetes.
    #[command(flatten)]
    pub kubernetes: KubernetesArgs,
}

/// Processes of this machine that carry a load out together.
#[derive(Debug, Clone, Default, Args)]
pub struct FleetArgs {
    /// Number of processes that carry the load out together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub agents: Option<u32>,
    /// Agents that may be lost.
    #[command(flatten)]
    pub tolerance: ToleranceArgs,
}

/// For verbs whose options are all under one heading.
pub(super) fn without_heading(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "agents" | "tolerate_lost" => arg.help_heading(None::<&str>),
        _ => arg,
    }
}

/// Settings of a study in a cluster.
#[derive(Debug, Clone, Default, Args)]
pub struct KubernetesArgs {
    /// Image that has proofload and what the servers need, for Kubernetes
    #[arg(long, value_name = "IMAGE", hide_short_help = true)]
    pub image: Option<String>,
    /// Namespace of the cluster [default: default]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub namespace: Option<String>,
    /// Name prefix of all objects [default: that of the study]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub name: Option<String>,
    /// CPUs and memory of each agent
    #[arg(long, value_name = "CPUS,MEMORY", default_value = "1,512Mi", hide_short_help = true)]
    pub agent_size: String,
    /// CPUs and memory of the servers' pod
    #[arg(long, value_name = "CPUS,MEMORY", default_value = "2,2Gi", hide_short_help = true)]
    pub subjects_size: String,
}

/// `proofload manifest STUDY`.
#[derive(Debug, Clone, Args)]
#[command(mut_args(of_manifest), override_usage = "proofload manifest STUDY --agents N --image IMAGE")]
pub struct ManifestArgs {
    /// The study and how it is run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Arguments that the manifest needs, without those about this machine.
fn of_manifest(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "agents" => arg
            .required(true)
            .hide_short_help(false)
            .value_parser(clap::value_parser!(u32).range(1..=i64::from(MOST_AGENTS)))
            .help("Number of agents"),
        "image" => arg.required(true).hide_short_help(false),
        "namespace" | "name" | "agent_size" | "subjects_size" => arg.hide_short_help(false),
        "on" | "subjects_on" | "address" | "explain" | "dir" | "no_wait" | "baseline"
        | "baseline_tolerance" | "prometheus" | "otlp" | "output" | "format" | "github_summary"
        | "verbose" | "quiet" => arg.hide(true),
        _ => arg,
    }
}

/// Agents that may be lost.
#[derive(Debug, Clone, Default, Args)]
pub struct ToleranceArgs {
    /// Number of agents that may be lost; the load goes on without their shares [default: 0]
    #[arg(long, value_name = "K", help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub tolerate_lost: Option<u32>,
}

impl ToleranceArgs {
    /// Number of agents that may be lost, of `agents`; none where no agents were asked for.
    ///
    /// # Errors
    /// If there are no agents to lose, or none would be left.
    pub fn of(&self, agents: Option<u32>) -> Result<u32, Mistake> {
        match (self.tolerate_lost, agents) {
            (None, _) => Ok(0),
            (Some(_), None) => Err(Mistake::NoMeaningWithout { needs: "--agents".to_owned() }),
            (Some(lost), Some(agents)) if lost >= agents => {
                Err(Mistake::beyond(lost, 0, agents.saturating_sub(1)))
            }
            (Some(lost), Some(_)) => Ok(lost),
        }
    }
}

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
    /// Time limit for reaching the coordinator
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
    /// Time limit for the agents to join
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub wait: String,
    /// The study and how it is run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Here the agents come from elsewhere, as many as `--agents` gives.
fn not_local(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "agents" => arg
            .required(true)
            .hide_short_help(false)
            .value_parser(clap::value_parser!(u32).range(1..=i64::from(MOST_AGENTS)))
            .help("Number of agents to wait for"),
        "on" | "subjects_on" => arg.hide(true),
        "address" => arg.hide_short_help(false),
        // As of `run`, whose help has them all.
        "set" | "only" | "explain" | "thorough" | "baseline" | "verbose" => arg.hide_short_help(true),
        _ => arg,
    }
}
