//! Requests and load, as arguments.

use super::{CpuArgs, OpenArgs, TransportArgs, heading};
use clap::{Args, ValueEnum};
use proofload_engine::DriverChoice;
use std::path::PathBuf;

/// Requests and load; shared by measuring and comparing.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// Number of connections [default: 50]
    ///
    /// auto: in an open loop, as many as the rate needs; the default of capacity.
    #[arg(short = 'c', long, value_name = "N|auto", help_heading = heading::LOAD)]
    pub connections: Option<String>,
    /// Calls that each connection carries at once, of protocols that allow it (dubbo://)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(proofload_study::IN_FLIGHT_MAX)), help_heading = heading::LOAD, hide_short_help = true)]
    pub in_flight: u32,
    /// Overflow of an open loop.
    #[command(flatten)]
    pub open: OpenArgs,
    /// Requests per second (500, 2k/s): an open loop
    ///
    /// They are sent whether or not the server keeps up, and latency counts from when each should have been sent. The
    /// default is a closed loop: each connection sends its next request after the answer, so a slow server is asked less.
    #[arg(short = 'r', long, value_name = "RATE", help_heading = heading::LOAD)]
    pub rate: Option<String>,
    /// Open loop: random gaps between requests (exponential) instead of equal ones
    #[arg(long, help_heading = heading::LOAD, hide_short_help = true)]
    pub poisson: bool,
    /// Closed loop: pause between an answer and the next request (50ms, exp:50ms, uniform:10ms..90ms,
    /// lognormal:50ms,p99=1s, list:10ms,20ms)
    #[arg(long, value_name = "TIME", conflicts_with = "rate", help_heading = heading::LOAD, hide_short_help = true)]
    pub think: Option<String>,
    /// Reuse connections: on, off, or the number of requests per connection
    #[arg(long, value_name = "on|off|N", default_value = "on", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub keep_alive: String,
    /// HTTP method
    #[arg(short = 'm', visible_short_alias = 'X', long, value_name = "METHOD", default_value = "GET", help_heading = heading::REQUESTS)]
    pub method: String,
    /// Request header `Name: value`; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER", help_heading = heading::REQUESTS)]
    pub headers: Vec<String>,
    /// Request body, or @FILE
    ///
    /// In JSON, "${name}" is escaped and ${name|json} is a whole string.
    #[arg(long, value_name = "TEXT|@FILE", help_heading = heading::REQUESTS)]
    pub body: Option<String>,
    /// Argument of a call in YAML, for dubbo://HOST:PORT/INTERFACE?method=NAME and the like; may be repeated
    #[arg(long = "arg", value_name = "YAML", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub args: Vec<String>,
    /// Form field (multipart/form-data): field=value or field=@FILE;type=image/png; may be repeated
    #[arg(long = "form", value_name = "PART", conflicts_with = "body", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub forms: Vec<String>,
    /// Field of a form in one line (application/x-www-form-urlencoded): name=value, encoded for you; may be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["body", "forms"], help_heading = heading::REQUESTS, hide_short_help = true)]
    pub urlencoded: Vec<String>,
    /// Values for ${name} in path, query, headers and body; users=csv:FILE gives ${users.COLUMN}. Also items=json-lines:FILE,
    /// u=lines:FILE (csv-random, csv-unique and so on for other orders), n=counter:1, r=random:1..1000, t=text:16,
    /// p=sized:uniform:20..200KiB/10m, id=uuid, now=time:iso; may be repeated
    #[arg(long = "feeder", value_name = "NAME=KIND:VALUE", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub feeders: Vec<String>,
    /// File with a path or an address on each line, which are asked in order, each as it is written
    #[arg(long = "urls", value_name = "FILE", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub url_file: Option<PathBuf>,
    /// HTTP Basic credentials: user:password or user:@FILE
    #[arg(long, value_name = "USER:PASSWORD", conflicts_with = "bearer", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub basic: Option<String>,
    /// HTTP Digest credentials: user:password or user:@FILE
    #[arg(long, value_name = "USER:PASSWORD", conflicts_with_all = ["basic", "bearer"], help_heading = heading::REQUESTS, hide_short_help = true)]
    pub digest: Option<String>,
    /// Bearer token, or @FILE
    #[arg(long, value_name = "TOKEN|@FILE", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub bearer: Option<String>,
    /// Keep and send cookies; each connection is a separate user
    #[arg(long, help_heading = heading::REQUESTS, hide_short_help = true)]
    pub cookies: bool,
    /// Follow up to N redirects, to other servers too; the answer counts when the last of them is there
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = heading::REQUESTS, hide_short_help = true)]
    pub follow: u32,
    /// Connect to this Unix socket; host and path still come from the URL
    #[arg(long, value_name = "PATH", conflicts_with = "bind", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub unix: Option<PathBuf>,
    /// Local addresses to connect from, in rotation (127.0.0.2,127.0.0.3)
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',', help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub bind: Vec<String>,
    /// TLS and proxy.
    #[command(flatten)]
    pub transport: TransportArgs,
    /// Statuses that an answer may have (200,404-410,5xx), else it is an error [default: 200 to 399]
    #[arg(long, value_name = "CODES", value_delimiter = ',', help_heading = heading::REQUESTS, hide_short_help = true)]
    pub expect_status: Vec<String>,
    /// Size that the body must have (347, 1KiB)
    #[arg(long, value_name = "SIZE", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub expect_bytes: Option<String>,
    /// Text that the body must contain; may be repeated
    #[arg(long, value_name = "TEXT", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub expect_text: Vec<String>,
    /// Text that the body must not contain; may be repeated
    #[arg(long, value_name = "TEXT", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub expect_no_text: Vec<String>,
    /// Value of a JSON body: '$.ok == true', or a JSONPath that something is at; may be repeated
    #[arg(long, value_name = "CHECK", help_heading = heading::REQUESTS, hide_short_help = true)]
    pub expect_json: Vec<String>,
    /// Connect timeout
    #[arg(long, value_name = "TIME", default_value = "5s", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub connect_timeout: String,
    /// Response timeout: from sending a request to the end of its answer
    #[arg(long, value_name = "TIME", default_value = "30s", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub timeout: String,
    /// Kernel interface: epoll, or io_uring where the kernel permits it [default: epoll; compare: both]
    #[arg(long, value_name = "DRIVER", value_enum, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub driver: Option<DriverArg>,
    #[command(flatten)]
    pub cpus: CpuArgs,
    /// Number of generator threads
    #[arg(long, alias = "threads", value_name = "N", help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub workers: Option<u32>,
    /// Random seed
    #[arg(long, value_name = "N", help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub seed: Option<u64>,
}

impl LoadArgs {
    /// Driver of a load without a study.
    pub fn driver(&self) -> DriverChoice {
        self.driver.map_or_else(DriverChoice::default, Into::into)
    }
}

/// Kernel interface of the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DriverArg {
    /// Available everywhere
    Epoll,
    /// Linux 6.1 or later, unless disabled
    #[value(name = "io_uring")]
    IoUring,
}

impl From<DriverArg> for DriverChoice {
    fn from(driver: DriverArg) -> Self {
        match driver {
            DriverArg::Epoll => Self::Epoll,
            DriverArg::IoUring => Self::IoUring,
        }
    }
}
