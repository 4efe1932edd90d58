//! CPUs of generator and servers, as arguments.

use super::heading;
use clap::Args;
use proofload_study::Draft;

/// CPUs of generator and servers.
#[derive(Debug, Clone, Default, Args)]
pub struct CpuArgs {
    /// CPUs of the generator (2-3)
    #[arg(long, value_name = "CPUS", help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub generator_cpus: Option<String>,
    /// CPUs of the servers (0-1), also of those that already run
    #[arg(long, value_name = "CPUS", help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub server_cpus: Option<String>,
}

impl CpuArgs {
    fn said(&self) -> impl Iterator<Item = (&'static str, &'static str, &String)> {
        let both = [
            ("--generator-cpus", "generator_cpus", &self.generator_cpus),
            ("--server-cpus", "server_cpus", &self.server_cpus),
        ];
        both.into_iter().filter_map(|(flag, key, list)| Some((flag, key, list.as_ref()?)))
    }

    /// Puts them into a study that flags make.
    pub fn put(&self, draft: &mut Draft) {
        self.said().for_each(|(flag, key, list)| draft.put(flag, &[key], list));
    }

    /// These settings after those of `--set`.
    pub fn and(&self, set: &[String]) -> Vec<String> {
        let own = self.said().map(|(_, key, list)| format!("{key}=\"{list}\""));
        set.iter().cloned().chain(own).collect()
    }
}
