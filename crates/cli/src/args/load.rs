//! Requests and load, as arguments.

use super::{OpenArgs, TransportArgs};
use clap::{Args, ValueEnum};
use proofload_engine::DriverChoice;
use proofload_study::Conditions;
use std::path::PathBuf;

/// Requests and load; shared by measuring and comparing.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// Number of connections, or in an open loop auto: as many as needed
    #[arg(short = 'c', long, value_name = "N|auto")]
    pub connections: Option<String>,
    /// How an open loop sends.
    #[command(flatten)]
    pub open: OpenArgs,
    /// Open loop: intended requests per second (500, 2k/s); the default is a closed loop
    #[arg(short = 'r', long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Open loop: exponential gaps between requests instead of equal ones
    #[arg(long)]
    pub poisson: bool,
    /// Closed loop: pause between an answer and the next request (50ms, exp:50ms, uniform:10ms..90ms,
    /// lognormal:50ms,p99=1s, list:10ms,20ms)
    #[arg(long, value_name = "TIME", conflicts_with = "rate")]
    pub think: Option<String>,
    /// Reuse connections: on, off, or the number of requests per connection
    #[arg(long, value_name = "on|off|N", default_value = "on")]
    pub keep_alive: String,
    /// HTTP method
    #[arg(short = 'm', long, value_name = "METHOD", default_value = "GET")]
    pub method: String,
    /// Request header `Name: value`; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub headers: Vec<String>,
    /// Request body, or @FILE
    #[arg(long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// Form field (multipart/form-data): field=value or field=@FILE;type=image/png; may be repeated
    #[arg(long = "form", value_name = "PART", conflicts_with = "body")]
    pub forms: Vec<String>,
    /// Values for ${name} in path, query, headers and body: users=csv:FILE, items=json-lines:FILE, n=counter:1,
    /// r=random:1..1000, t=text:16, p=sized:uniform:20..200KiB/10m; may be repeated
    #[arg(long = "feeder", value_name = "NAME=KIND:VALUE")]
    pub feeders: Vec<String>,
    /// HTTP Basic credentials: user:password or user:@FILE
    #[arg(long, value_name = "USER:PASSWORD", conflicts_with = "bearer")]
    pub basic: Option<String>,
    /// Bearer token, or @FILE
    #[arg(long, value_name = "TOKEN|@FILE")]
    pub bearer: Option<String>,
    /// Keep and send cookies; each connection is a separate user
    #[arg(long)]
    pub cookies: bool,
    /// Follow up to N redirects to the same server, as part of the exchange
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub follow: u32,
    /// Connect to this Unix socket; host and path still come from the URL
    #[arg(long, value_name = "PATH", conflicts_with = "bind")]
    pub unix: Option<PathBuf>,
    /// Local addresses to connect from, in rotation (127.0.0.2,127.0.0.3)
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',')]
    pub bind: Vec<String>,
    /// TLS and proxy.
    #[command(flatten)]
    pub transport: TransportArgs,
    /// Expected status [default: 200 to 399]
    #[arg(long, value_name = "CODE")]
    pub expect_status: Option<u16>,
    /// Expected body size (347, 1KiB)
    #[arg(long, value_name = "SIZE")]
    pub expect_bytes: Option<String>,
    /// Text that the body must contain
    #[arg(long, value_name = "TEXT")]
    pub expect_text: Option<String>,
    /// Connect timeout
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub connect_timeout: String,
    /// Response timeout, from sending to the end of the answer
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: String,
    /// Kernel interface: epoll, or io_uring where the kernel permits it [default: epoll; compare: both]
    #[arg(long, value_name = "DRIVER", value_enum)]
    pub driver: Option<DriverArg>,
    /// Number of generator threads
    #[arg(long, value_name = "N")]
    pub workers: Option<u32>,
    /// Random seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl LoadArgs {
    /// What carries the bytes of a load that stands alone.
    pub fn driver(&self) -> DriverChoice {
        self.driver.map_or_else(DriverChoice::default, Into::into)
    }

    /// The conditions of measuring, as far as the arguments say them.
    pub fn conditions(&self) -> Conditions {
        let driver = self.driver.map(Into::into);
        driver.map_or_else(Conditions::default, |driver| Conditions::default().with_driver(driver))
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
