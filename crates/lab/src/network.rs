//! The network between agents and servers, measured before the first block: what no answer can be quicker than, and no answers
//! can come faster than.

use crate::ceiling::{Measuring, NullServer};
use crate::endpoint::{self, Terms};
use proofload_engine::{DriverChoice, Extent, LoadResult};
use proofload_facts::{Finding, Mistake};
use proofload_language::facts::in_english;
use proofload_store::schema::{FORMAT_VERSION, Network};
use proofload_study::{Draft, Options, Study};

/// Load before the windows, and the windows.
const DISCARD_NS: u64 = 200_000_000;
const WINDOW_NS: u64 = 1_000_000_000;
const DRAIN_NS: u64 = 1_000_000_000;
/// Bodies of the answers to small exchanges, bytes.
const SMALL_BYTES: u64 = 64;
/// Bodies of large answers, bytes.
const LARGE_BYTES: u64 = 64 << 10;
/// Connections of each agent for large answers: one alone may wait for its window.
const LARGE_CONNECTIONS: u32 = 4;

impl Measuring<'_> {
    /// Properties of the network between the generator's agents and a server at the place of the servers. Never fails:
    /// a property that could not be measured has a reason instead.
    pub fn network(&self) -> Network {
        let agents = self.generator.agents().len().max(1) as u32;
        let mut network =
            Network { format: FORMAT_VERSION, address: self.address.to_string(), ..Network::default() };
        match self.against_null(SMALL_BYTES, agents) {
            Ok(small) => {
                let times = &small.snapshot.response_time;
                network.exchanges = times.count();
                network.p50_ns = times.quantile_ns(0.5);
                network.p99_ns = times.quantile_ns(0.99);
                network.max_ns = times.quantile_ns(1.0);
            }
            Err(why) => network.why = Some(why),
        }
        match self.against_null(LARGE_BYTES, agents * LARGE_CONNECTIONS) {
            Ok(large) => {
                let (bytes, seconds) = (large.snapshot.bytes_received as f64, large.snapshot.seconds());
                network.bytes_per_s = (seconds > 0.0).then(|| bytes / seconds);
            }
            Err(why) => network.why = Some(why),
        }
        network
    }

    fn against_null(&self, body_bytes: u64, connections: u32) -> Result<LoadResult, Finding> {
        let null = self.start_null(&NullServer { body_bytes, ..NullServer::default() })?;
        let url = format!("http://{}", null.address);
        let terms = Terms {
            discard_ns: DISCARD_NS,
            extent: Extent::DurationNs(WINDOW_NS),
            drain_ns: DRAIN_NS,
            workers: 1,
            driver: DriverChoice::Epoll,
            seed: 1,
        };
        let plan = closed(&url, connections).and_then(|study| endpoint::load_plan(&study, &terms));
        let plan = plan.map_err(|mistake| Finding::failed(in_english(&mistake)))?;
        let results = self.load(&[plan]);
        null.stop()?;
        Ok(results?.remove(0))
    }
}

/// One exchange after the other on each connection.
fn closed(url: &str, connections: u32) -> Result<Study, Mistake> {
    let mut draft = Draft::new(&[]);
    draft.put("", &["study"], "network");
    draft.put("", &["question"], "How quick is the network?");
    draft.put("", &["subjects", "null", "url"], url);
    draft.put("", &["workload", "request", "get"], "/");
    draft.put("", &["load", "closed", "connections"], u64::from(connections));
    draft.study(&Options::default()).map_err(|mut mistakes| mistakes.remove(0))
}
