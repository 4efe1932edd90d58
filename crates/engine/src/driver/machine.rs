//! Facts about this machine and this process, from the kernel's own texts.

/// Linux's default range, 32768 to 60999.
const EPHEMERAL_PORTS_DEFAULT: u64 = 28_232;

/// Number of ports from which the kernel chooses for connections to one address.
pub(super) fn ephemeral_ports() -> u64 {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    ports_of(&text).unwrap_or(EPHEMERAL_PORTS_DEFAULT)
}

fn ports_of(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace().map(str::parse::<u64>);
    let (low, high) = (words.next()?.ok()?, words.next()?.ok()?);
    Some((high + 1).saturating_sub(low))
}

/// The peak in the text of `/proc/self/status`, in bytes.
pub(super) fn peak_rss_of(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_texts_are_read() {
        assert_eq!(ports_of("32768\t60999\n"), Some(28_232));
        assert_eq!(ports_of(""), None);
        assert_eq!(peak_rss_of("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t1 kB\n"), Some(2_097_152));
        assert_eq!(peak_rss_of("Name:\tx\n"), None);
    }
}
