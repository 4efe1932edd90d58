//! Network namespaces that reach each other, and of the rest of the world nothing but this machine.

use super::commands::ip;
use super::{cgroups, leftovers, packages, processes, settings};
use crate::tools;
use anyhow::{Context, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The place of the bridge. What all others need runs there, too.
pub const HUB: &str = "hub";
const HUB_OCTET: u8 = 254;

/// The last octet of the machine itself.
const OUTSIDE_OCTET: u8 = 253;

/// Whose cache nodes of Slurm have.
pub const SHARED: &str = "shared";

/// Folder of Proofload's cache with records of other machines.
pub const PLACES: &str = "proofload/places";

/// Characters of a name at most: interfaces have 15.
const NAME_MAX: usize = 8;

/// The name of a place is its host name, too.
const AS_HOST: &str = r#"hostname "$1" && shift && exec "$@""#;

/// Places with an address each, joined by a bridge. All that is in them ends with it.
pub struct Net {
    id: String,
    /// The third octet of all addresses.
    subnet: u8,
    names: Vec<String>,
    folder: PathBuf,
}

impl Net {
    /// Brings it up with places of these names.
    pub fn up(names: &[&str]) -> anyhow::Result<Net> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        for name in names {
            let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            let is_good = is_plain && *name != HUB && (1..=NAME_MAX).contains(&name.len());
            ensure!(
                is_good,
                "{name}: a place has up to {NAME_MAX} small letters and digits, and is not {HUB}"
            );
        }
        ensure!(names.len() < usize::from(OUTSIDE_OCTET), "{} places: too many", names.len());
        packages::need(&packages::NET)?;
        leftovers::sweep()?;
        let mut id = format!("{}{}", leftovers::PREFIX, std::process::id());
        match NEXT.fetch_add(1, Ordering::Relaxed) {
            0 => {}
            number => id += &format!("x{number}"),
        }
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let net = Net { id, subnet: free_subnet()?, names, folder: tools::scratch("lab")? };
        // From here on a failure takes away what was made before it.
        net.build()?;
        Ok(net)
    }

    /// Brings it up for some work. It is an error if something of it stays.
    pub fn with<T>(names: &[&str], work: impl FnOnce(&Net) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let net = Net::up(names)?;
        let (mark, id, folder) = (net.mark(), net.id.clone(), net.folder.clone());
        let done = work(&net);
        drop(net);
        let done = done?;
        let processes = processes::marked(&mark)?;
        ensure!(processes.is_empty(), "processes are left: {processes:?}");
        let is_left = leftovers::namespaces().iter().any(|name| leftovers::id_of(name) == id)
            || Path::new("/sys/class/net").join(leftovers::leg_of(&id)).exists();
        ensure!(!cgroups::are_left(&format!("{id}-")), "control groups of {id} are left");
        ensure!(!is_left, "namespaces or interfaces of {id} are left");
        ensure!(!folder.exists(), "{} is left", folder.display());
        Ok(done)
    }

    fn build(&self) -> anyhow::Result<()> {
        let (hub, leg) = (self.namespace(HUB), leftovers::leg_of(&self.id));
        fs::create_dir(self.folder.join("bin"))?;
        self.add_namespace(HUB)?;
        ip(&format!("-n {hub} link add bridge type bridge"))?;
        self.set_address(HUB, "bridge", HUB_OCTET)?;
        ip(&format!("link add {leg} type veth peer name outside netns {hub}"))?;
        ip(&format!("-n {hub} link set dev outside master bridge up"))?;
        ip(&format!("address add {}/24 dev {leg}", self.outside_address()))?;
        ip(&format!("link set dev {leg} up"))?;
        for (name, octet) in self.names.iter().zip(1..) {
            self.add_namespace(name)?;
            let inside = self.namespace(name);
            ip(&format!("-n {inside} link add eth0 type veth peer name leg-{name} netns {hub}"))?;
            ip(&format!("-n {hub} link set dev leg-{name} master bridge up"))?;
            self.set_address(name, "eth0", octet)?;
        }
        Ok(())
    }

    /// A namespace in which all places are known by name.
    fn add_namespace(&self, name: &str) -> anyhow::Result<()> {
        let namespace = self.namespace(name);
        let etc = Path::new(leftovers::ETC).join(&namespace);
        ip(&format!("netns add {namespace}"))?;
        ip(&format!("-n {namespace} link set dev lo up"))?;
        fs::create_dir_all(&etc)?;
        let mut hosts = format!("127.0.0.1 localhost\n{} {HUB}\n", self.at(HUB_OCTET));
        for (name, octet) in self.names.iter().zip(1..) {
            hosts += &format!("{} {name}\n", self.at(octet));
        }
        fs::write(etc.join("hosts"), hosts).with_context(|| format!("{}", etc.display()))
    }

    fn set_address(&self, name: &str, interface: &str, octet: u8) -> anyhow::Result<()> {
        let namespace = self.namespace(name);
        ip(&format!("-n {namespace} address add {}/24 dev {interface}", self.at(octet)))?;
        ip(&format!("-n {namespace} link set dev {interface} up"))?;
        Ok(())
    }

    fn at(&self, octet: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.subnet, octet)
    }

    /// The namespace of a place, as `ip` calls it.
    pub fn namespace(&self, name: &str) -> String {
        format!("{}-{name}", self.id)
    }

    /// The control group that a place may have. It goes with the net, and so do all that are in it.
    pub fn group(&self, name: &str) -> String {
        self.namespace(name)
    }

    /// Prefix of the names of all control groups of the net.
    pub fn groups(&self) -> String {
        self.namespace("")
    }

    /// The places, in the order of their addresses.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The address of a place.
    pub fn address(&self, name: &str) -> anyhow::Result<Ipv4Addr> {
        let octet = match name {
            HUB => HUB_OCTET,
            _ => self.names.iter().zip(1..).find(|(known, _)| *known == name).context("no such place")?.1,
        };
        Ok(self.at(octet))
    }

    /// The address at which places reach this machine itself, and what `outside` starts.
    pub fn outside_address(&self) -> Ipv4Addr {
        self.at(OUTSIDE_OCTET)
    }

    /// A folder that goes away with the net; every place sees it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The cache of Proofload at a place; nodes of Slurm get the environment of the command, and share its cache.
    pub fn cache(&self, name: &str) -> PathBuf {
        self.folder.join(format!("cache-{name}"))
    }

    /// Variable in the environment of all processes of this lab, and of no others.
    pub fn mark(&self) -> String {
        leftovers::mark_of(&self.id)
    }

    /// A program inside a place. The child's number is that of the program, also after it was started.
    pub fn command(&self, name: &str, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(name), "unshare", "--uts", "sh", "-c", AS_HOST, "sh"]);
        command.arg(name).arg(program);
        self.belongs(&mut command);
        command
    }

    /// A program inside the network of a place that sees files as the machine does, control groups among them. Its
    /// mounts are visible to no other process. The child's number is that of the program.
    pub fn on_machine(&self, name: &str, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{}", self.namespace(name)));
        command.args(["unshare", "--mount", "--uts", "sh", "-c", AS_HOST, "sh", name]).arg(program);
        self.belongs(&mut command);
        command
    }

    /// A program of the machine itself, which reaches all places, and finds the same programs as they do.
    pub fn outside(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("env");
        command.arg(program);
        self.belongs(&mut command);
        command
    }

    fn belongs(&self, command: &mut Command) {
        command.envs(self.mark().split_once('=')).env("PATH", self.path());
    }

    /// Search path of all places: engines put their programs before those of the machine.
    pub fn path(&self) -> OsString {
        let mut path = self.folder.join("bin").into_os_string();
        path.push(":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        path
    }

    /// Has every place run this line of a shell in place of the program.
    pub fn replace(&self, program: &str, line: &str) -> anyhow::Result<()> {
        let path = self.folder.join("bin").join(program);
        fs::write(&path, format!("#!/bin/sh\n{line}\n")).with_context(|| format!("{}", path.display()))?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))
            .with_context(|| format!("{}", path.display()))
    }

    /// Pulls the cable of a place out. Both ends keep their addresses and routes; packets get lost.
    pub fn cut(&self, name: &str) -> anyhow::Result<()> {
        ip(&format!("-n {} link set dev leg-{name} down", self.namespace(HUB))).map(drop)
    }

    /// True if it is cut off.
    pub fn is_cut(&self, name: &str) -> bool {
        let told = ip(&format!("-n {} -o link show dev leg-{name}", self.namespace(HUB)));
        told.is_ok_and(|told| !told.contains(",UP"))
    }

    /// Puts it back.
    pub fn heal(&self, name: &str) -> anyhow::Result<()> {
        ip(&format!("-n {} link set dev leg-{name} up", self.namespace(HUB))).map(drop)
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        leftovers::remove(&self.id);
        settings::restore(&self.folder);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A third octet that no interface of this machine has. Labs that begin together begin to look at different ones.
fn free_subnet() -> anyhow::Result<u8> {
    let taken = ip("-4 -o address show")?;
    let first = std::process::id() % 250;
    let mut all = (first..first + 250).filter_map(|number| u8::try_from(number % 250).ok());
    all.find(|number| !taken.contains(&format!(" 10.77.{number}."))).context("no subnet of 10.77 is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "full: makes network namespaces, as root"]
    fn a_panic_leaves_nothing() {
        let mut seen = None;
        let work = std::panic::AssertUnwindSafe(|| {
            let net = Net::up(&["a"]).unwrap();
            let sleeping = [net.command("a", "sleep"), net.outside("sleep")];
            let mut children = sleeping.map(|mut command| command.arg("60").spawn().unwrap());
            seen = Some((net.mark(), net.id.clone(), net.folder.clone()));
            assert!(children.iter_mut().all(|child| child.try_wait().unwrap().is_none()));
            panic!("on purpose");
        });
        assert!(std::panic::catch_unwind(work).is_err());
        let (mark, id, folder) = seen.unwrap();
        assert!(processes::marked(&mark).unwrap().is_empty());
        assert!(leftovers::namespaces().iter().all(|name| leftovers::id_of(name) != id));
        assert!(!folder.exists());
    }
}
