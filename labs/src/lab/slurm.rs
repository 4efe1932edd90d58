//! A Slurm cluster whose nodes are the places of a net.

use super::commands::{output, until};
use super::daemon::Daemon;
use super::net::{HUB, Net, PLACES, SHARED};
use super::packages;
use anyhow::{Context, ensure};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

const UP_WITHIN: Duration = Duration::from_secs(30);

/// CPUs that each node reports, so that several tasks fit on it.
const CPUS: u32 = 8;

/// Commands that users of Slurm call.
const CLIENTS: [&str; 8] = ["srun", "salloc", "sbatch", "sinfo", "squeue", "scancel", "scontrol", "sattach"];

/// munged and slurmctld at the hub, a slurmd at each place. `srun` and its like work at every place and outside.
pub struct Slurm<'net> {
    net: &'net Net,
    folder: PathBuf,
    daemons: Vec<Daemon>,
}

impl<'net> Slurm<'net> {
    pub fn up(net: &'net Net) -> anyhow::Result<Self> {
        packages::need(&packages::SLURM)?;
        let mut slurm = Slurm { net, folder: net.folder().join("slurm"), daemons: Vec::new() };
        fs::create_dir_all(slurm.folder.join("state"))?;
        fs::create_dir(slurm.folder.join("munge"))?;
        fs::write(slurm.conf(), slurm.settings()?)?;
        fs::write(slurm.folder.join("cgroup.conf"), slurm.without_cgroups())?;
        for program in CLIENTS {
            let conf = slurm.conf();
            net.replace(program, &format!("SLURM_CONF={} exec /usr/bin/{program} \"$@\"", conf.display()))?;
        }
        slurm.start_munge()?;
        let conf = slurm.conf().display().to_string();
        slurm.daemons.push(Daemon::start(net, HUB, &["slurmctld", "-D", "-f", &conf])?);
        slurm.wait("slurmctld", |net| {
            let pings = output(net.outside("scontrol").arg("ping"));
            pings.is_ok_and(|told| told.contains("is UP"))
        })?;
        for name in net.names() {
            fs::create_dir(slurm.folder.join(format!("spool-{name}")))?;
            let (conf, disk) = (slurm.conf().display().to_string(), net.cache(SHARED).join(PLACES));
            let words = ["slurmd", "-D", "-N", name, "-f", &conf];
            slurm.daemons.push(Daemon::start_on_disk(net, name, &disk, &words)?);
        }
        slurm.wait("all nodes are idle", |net| {
            let idle = output(net.outside("sinfo").args(["-h", "-t", "idle", "-o", "%D"]));
            idle.is_ok_and(|told| told == net.names().len().to_string())
        })?;
        Ok(slurm)
    }

    /// One for all: its socket is a file, which namespaces of networks share.
    fn start_munge(&mut self) -> anyhow::Result<()> {
        let folder = self.folder.join("munge");
        let mut key = [0; 128];
        File::open("/dev/urandom")?.read_exact(&mut key)?;
        fs::write(folder.join("key-file"), key)?;
        output(self.net.outside("chmod").arg("600").arg(folder.join("key-file")))?;
        let files = ["key-file", "socket", "pid-file", "log-file", "seed-file"];
        let files = files.map(|file| format!("--{file}={}", folder.join(file).display()));
        let mut words = vec!["munged", "--foreground"];
        words.extend(files.iter().map(String::as_str));
        self.daemons.push(Daemon::start(self.net, HUB, &words)?);
        let socket = folder.join("socket");
        self.wait("munged", |_| socket.exists())
    }

    fn wait(&mut self, what: &str, is_there: impl Fn(&Net) -> bool) -> anyhow::Result<()> {
        let (net, daemons) = (self.net, &mut self.daemons);
        let came = until(what, UP_WITHIN, || {
            daemons.iter_mut().try_for_each(Daemon::is_up)?;
            Ok(is_there(net))
        });
        came.with_context(|| daemons.iter().map(Daemon::last_words).collect::<Vec<_>>().join("\n"))
    }

    fn settings(&self) -> anyhow::Result<String> {
        let folder = self.folder.display();
        let hub = self.net.address(HUB)?;
        let mut text = format!(
            "ClusterName=proofload\nSlurmctldHost={HUB}({hub})\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={folder}/munge/socket\nCredType=cred/munge\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool-%n\n\
             SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd-%n.pid\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\nSwitchType=switch/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSlurmdParameters=config_overrides\n\
             AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n\
             MailProg=/bin/true\nReturnToService=2\nKillWait=5\n"
        );
        for name in self.net.names() {
            text +=
                &format!("NodeName={name} NodeAddr={} CPUs={CPUS} State=UNKNOWN\n", self.net.address(name)?);
        }
        Ok(text + "PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
    }

    /// Slurm 22.05 loads a plugin for them in any case. That of v1 does nothing until one is asked for; that of v2 wants
    /// systemd.
    fn without_cgroups(&self) -> String {
        let mountpoint = self.folder.join("no-cgroups");
        format!("CgroupPlugin=cgroup/v1\nCgroupMountpoint={}\nCgroupAutomount=no\n", mountpoint.display())
    }

    /// For who does not call the programs by their names: `SLURM_CONF`.
    pub fn conf(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    pub fn version(&self) -> anyhow::Result<String> {
        let version = output(self.net.outside("sinfo").arg("--version"))?;
        ensure!(version.starts_with("slurm"), "this is not Slurm's sinfo: {version}");
        Ok(version)
    }
}
