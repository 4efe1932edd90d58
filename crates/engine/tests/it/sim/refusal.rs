//! A machine on which connections are established at once and every send is refused, as by a filter.

use super::*;
use proofload_engine::driver::{
    Allowance, Conn, Dialed, Driver, Drivers, Handler, Net, Polled, Pushed, Wake,
};
use std::net::IpAddr;
use std::sync::atomic::Ordering;

/// Cost of a refused send: longer than from one to the next at the rates below.
const SEND_COST_NS: u64 = 10_000;

/// Asks for the load to be stopped at an instant, whatever the worker is doing then.
struct Refusing {
    watch: Arc<Watch>,
    stop_ns: u64,
}

struct RefusingNet {
    now_ns: u64,
    watch: Arc<Watch>,
    stop_ns: u64,
}

impl RefusingNet {
    fn pass(&mut self, until_ns: u64) {
        self.now_ns = self.now_ns.max(until_ns);
        if self.now_ns >= self.stop_ns {
            self.watch.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Net for RefusingNet {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn cpu_ns(&self) -> u64 {
        0
    }

    fn dial(&mut self, _conn: Conn, _to: &Target, _from: Option<IpAddr>) -> Dialed {
        Dialed::Established
    }

    fn send(&mut self, _conn: Conn, _bytes: &[u8]) -> Pushed {
        self.pass(self.now_ns + SEND_COST_NS);
        Pushed::Failed
    }

    fn close(&mut self, _conn: Conn) {}
}

impl Driver for RefusingNet {
    type Net = Self;

    fn name(&self) -> &'static str {
        "refusing"
    }

    fn net(&mut self) -> &mut Self {
        self
    }

    fn poll<H: Handler<Self>>(&mut self, wake: Wake, _handler: &mut H) -> std::io::Result<Polled> {
        let waited_ns = wake.at_ns.saturating_sub(self.now_ns);
        self.pass(wake.at_ns);
        Ok(Polled { waited_ns })
    }
}

impl Drivers for Refusing {
    type Driver = RefusingNet;

    fn now_ns(&self) -> u64 {
        0
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn allowance(&self) -> Allowance {
        Allowance { descriptors: None, ports: u64::MAX }
    }

    fn peak_rss_bytes(&self) -> u64 {
        0
    }

    fn open(&self, _worker: u32, _capacity: u32) -> std::io::Result<RefusingNet> {
        Ok(RefusingNet { now_ns: 0, watch: Arc::clone(&self.watch), stop_ns: self.stop_ns })
    }
}

#[test]
fn a_load_whose_sends_are_all_refused_at_once_can_be_stopped() {
    for keep_alive in [KeepAlive::On, KeepAlive::Off] {
        let watch = Arc::new(Watch::default());
        let drivers = Refusing { watch: Arc::clone(&watch), stop_ns: 300 * MS };
        let plan = LoadPlan { keep_alive, drain_ns: 50 * MS, ..open(200_000.0) };
        let result = run_in(&plan, &watch, &drivers).unwrap();
        assert!(result.stopped_early);
        let failed = count(&result, Outcome::SendFailed);
        // Both the switch and the end of draining are noticed within a round of all connections.
        assert!(failed.abs_diff(350 * MS / SEND_COST_NS) < 250, "{failed}");
        assert_eq!(watch.failed.load(Ordering::Relaxed), failed, "the live view saw them");
    }
}
