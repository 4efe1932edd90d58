//! Debian's packages that bring the engines.

use crate::tools;
use anyhow::{Context, ensure};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub const NET: [(&str, &str); 3] = [("ip", "iproute2"), ("ping", "iputils-ping"), ("unshare", "util-linux")];
pub const SSH: [(&str, &str); 2] = [("sshd", "openssh-server"), ("ssh", "openssh-client")];
pub const SLURM: [(&str, &str); 4] =
    [("munged", "munge"), ("slurmctld", "slurmctld"), ("slurmd", "slurmd"), ("srun", "slurm-client")];

pub const KUBERNETES: [(&str, &str); 6] = [
    ("containerd", "containerd"),
    ("runc", "runc"),
    ("/usr/lib/cni/bridge", "containernetworking-plugins"),
    ("nsenter", "util-linux"),
    ("openssl", "openssl"),
    ("ldd", "libc-bin"),
];

/// File that Debian's packages check before they start a service.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// Installs what is missing.
pub fn need(wanted: &[(&str, &str)]) -> anyhow::Result<()> {
    ensure!(tools::is_root(), "namespaces are made and engines are started by root only");
    let quiet = Quiet::begin()?;
    let installed = tools::install(wanted, "the lab starts them");
    drop(quiet);
    installed
}

/// As long as it is there, packages start none of their services: the lab's engines listen in namespaces only, and an
/// sshd of the machine itself is not asked for.
struct Quiet {
    is_ours: bool,
}

impl Quiet {
    fn begin() -> anyhow::Result<Self> {
        match OpenOptions::new().write(true).create_new(true).mode(0o755).open(POLICY) {
            Ok(mut file) => {
                file.write_all(b"#!/bin/sh\nexit 101\n").with_context(|| POLICY.to_owned())?;
                Ok(Quiet { is_ours: true })
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Quiet { is_ours: false }),
            // Without this folder it is not a Debian, and nothing is going to be installed.
            Err(_) if !Path::new("/usr/sbin").is_dir() => Ok(Quiet { is_ours: false }),
            Err(error) => Err(error).with_context(|| POLICY.to_owned()),
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if self.is_ours {
            let _ = fs::remove_file(POLICY);
        }
    }
}
