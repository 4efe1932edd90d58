//! The null server: our own reference server, which does nothing, in the place of the servers.

use super::Measuring;
use proofload_engine::transport::pem;
use proofload_facts::Finding;
use proofload_host::{clock, cpus};
use proofload_study::SubjectSpec;
use proofload_subject::{Catalogue, Prepared, Running, SubjectError, Surroundings, this_program};
use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Most threads of the null server.
const SERVER_WORKERS_MAX: usize = 16;
/// Longest time until the null server listens.
const READY_WITHIN_NS: u64 = 10_000_000_000;

/// The null server as it is wanted.
#[derive(Debug, Default)]
pub(crate) struct NullServer {
    /// Body of its answers, bytes.
    pub body_bytes: u64,
    /// Closes each connection after an answer.
    pub closes: bool,
    pub has_tls: bool,
    /// Threads; as many as it has CPUs at most.
    pub workers: Option<usize>,
}

/// The null server as it runs.
pub(crate) struct RunningNull {
    running: Running,
    pub address: SocketAddr,
    certificates: PathBuf,
}

impl RunningNull {
    /// The authority that the null server made for itself.
    pub fn authority(&self) -> Result<Vec<u8>, Finding> {
        authority_in(&self.certificates)
    }

    pub fn stop(self) -> Result<(), Finding> {
        self.running.stop().map(drop).map_err(Finding::failed)
    }
}

impl NullServer {
    fn command(&self, workers: usize, certificates: &Path) -> Vec<String> {
        let mut args = vec![this_program().display().to_string()];
        args.extend(
            ["reference-server", "--null", "--bind", "{address}", "--port", "{port}"].map(String::from),
        );
        args.extend(["--size".to_string(), self.body_bytes.to_string()]);
        args.extend(["--workers".to_string(), workers.to_string()]);
        if self.closes {
            args.extend(["--close-after".to_string(), "1".to_string()]);
        }
        if self.has_tls {
            args.extend(["--tls-self-signed".to_string(), certificates.display().to_string()]);
        }
        args
    }
}

impl Measuring<'_> {
    /// Starts a null server and waits until it answers.
    pub(crate) fn start_null(&self, null: &NullServer) -> Result<RunningNull, Finding> {
        let workers = match &self.settings.subject_cpus[..] {
            [] => null.workers.unwrap_or_else(|| cpus::allowed().len()),
            cpus => cpus.len(),
        };
        let temp = self.keeper.temp().join(format!("null-{}", clock::monotonic_ns()));
        let certificates = temp.with_extension("tls");
        let spec = SubjectSpec::Command {
            args: null.command(workers.clamp(1, SERVER_WORKERS_MAX), &certificates),
            port: None,
            env: BTreeMap::new(),
            directory: Some(self.keeper.temp().to_path_buf()),
            ready_within_ns: READY_WITHIN_NS,
            memory_max_bytes: None,
        };
        let said = |error: SubjectError| Finding::failed(error);
        let catalogue = Catalogue::find(None, None).map_err(said)?;
        let prepared = Prepared::resolve("the null server", &spec, &catalogue, self.cache).map_err(said)?;
        let log = temp.with_extension("log");
        let surroundings = Surroundings {
            address: self.address,
            cpus: &self.settings.subject_cpus,
            ..Surroundings::default()
        };
        let running = prepared.start(self.keeper, surroundings, &log, &temp).map_err(said)?;
        running.wait_ready(self.stop).map_err(said)?;
        let address = running.address().tcp().unwrap_or((self.address, 0).into());
        Ok(RunningNull { running, address, certificates })
    }
}

/// The authority that the null server made for itself.
fn authority_in(directory: &Path) -> Result<Vec<u8>, Finding> {
    let file = directory.join("ca.pem");
    let bytes = fs::read(&file).map_err(|error| Finding::failed(format!("{}: {error}", file.display())))?;
    pem::certificates(&bytes)
        .map_err(Finding::failed)?
        .into_iter()
        .next()
        .ok_or_else(|| Finding::NoCertificate { file: file.display().to_string() })
}
