//! Counters of the whole machine, or of its network namespace.

use proofload_host::process::read_text;
use rustix::param::clock_ticks_per_second;

/// Counters of the machine since it started; `None` for those that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Machine {
    pub steal_ns: Option<u64>,
    pub softirq_ns: Option<u64>,
    pub idle_ns: Option<u64>,
    pub listen_overflows: Option<u64>,
    pub listen_drops: Option<u64>,
    pub retransmits: Option<u64>,
    pub loopback_bytes: Option<u64>,
    /// Connections in TIME_WAIT at the moment.
    pub time_wait: Option<u64>,
}

impl Machine {
    pub(super) fn read() -> Machine {
        let text = |path: &str| read_text(path).unwrap_or_default();
        let (stat, net) = (text("/proc/stat"), text("/proc/net/netstat"));
        let cpu = |column| cpu_ns(&stat, column, clock_ticks_per_second());
        Machine {
            idle_ns: cpu(4),
            softirq_ns: cpu(7),
            steal_ns: cpu(8),
            listen_overflows: table(&net, "TcpExt:", "ListenOverflows"),
            listen_drops: table(&net, "TcpExt:", "ListenDrops"),
            retransmits: table(&text("/proc/net/snmp"), "Tcp:", "RetransSegs"),
            loopback_bytes: loopback(&text("/proc/net/dev")),
            time_wait: time_wait(&text("/proc/net/sockstat")),
        }
    }
}

/// A column of the first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal …`.
fn cpu_ns(text: &str, column: usize, ticks_per_second: u64) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: u64 = line.split_whitespace().nth(column)?.parse().ok()?;
    Some(ticks.saturating_mul(1_000_000_000 / ticks_per_second.max(1)))
}

/// A value of `/proc/net/netstat` or `snmp`: a line of names, then one of values, both after the same word.
fn table(text: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.split_whitespace().next() == Some(group));
    let at = lines.next()?.split_whitespace().position(|word| word == name)?;
    lines.next()?.split_whitespace().nth(at)?.parse().ok()
}

/// Bytes received by `lo`, which are those it sent.
fn loopback(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix("lo:"))?;
    rest.split_whitespace().next()?.parse().ok()
}

fn time_wait(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("TCP:"))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != "tw");
    words.nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = include_str!("../testdata/proc/machine/stat");
    const NETSTAT: &str = include_str!("../testdata/proc/machine/netstat");
    const DEV: &str = include_str!("../testdata/proc/machine/dev");
    const SOCKSTAT: &str = include_str!("../testdata/proc/machine/sockstat");

    #[test]
    fn captured_tables_are_read_by_the_names_of_their_columns() {
        assert_eq!(table(NETSTAT, "TcpExt:", "ListenOverflows"), Some(127_437));
        assert_eq!(table(NETSTAT, "TcpExt:", "ListenDrops"), Some(127_437));
        assert_eq!(table(NETSTAT, "TcpExt:", "Nothing"), None);
        assert_eq!(table("TcpExt: A B\nTcpExt: 1\n", "TcpExt:", "B"), None, "the line is cut");
        assert_eq!(loopback(DEV), Some(80_082_046_574));
        assert_eq!(time_wait(SOCKSTAT), Some(28));
    }

    #[test]
    fn cpu_time_is_counted_in_ticks_over_all_cpus() {
        let line = STAT.lines().next().unwrap();
        let columns: Vec<u64> = line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        assert_eq!(cpu_ns(STAT, 4, 100), Some(columns[3] * 10_000_000));
        assert_eq!(cpu_ns(STAT, 7, 100), Some(columns[6] * 10_000_000));
        assert_eq!(cpu_ns(STAT, 8, 100), Some(columns[7] * 10_000_000));
        assert_eq!((cpu_ns("cpu 1 2", 8, 100), cpu_ns("", 4, 0)), (None, None));
    }

    #[test]
    fn this_machine_has_every_counter_and_its_loopback_counts() {
        let before = Machine::read();
        assert!(before.idle_ns > Some(0) && before.listen_drops.is_some() && before.time_wait.is_some());
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(&[0; 10_000], socket.local_addr().unwrap()).unwrap();
        let grown = Machine::read().loopback_bytes.unwrap() - before.loopback_bytes.unwrap();
        assert!(grown >= 10_000, "{grown}");
    }
}
