//! OpenSSH between the places of a net.

use super::commands::{output, until};
use super::daemon::Daemon;
use super::net::{Net, PLACES};
use super::packages;
use anyhow::Context;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const UP_WITHIN: Duration = Duration::from_secs(10);

/// A place without a cache: Proofload has never been there.
const FRESH: &str = "c";

/// Folder in which Debian's sshd locks itself in. Its service makes it, which is not running here.
const SEPARATION: &str = "/run/sshd";

/// An sshd at each place, and clients everywhere that may log in as root. `ssh PLACE` works at every place and outside.
pub struct Ssh<'net> {
    net: &'net Net,
    folder: PathBuf,
    daemons: Vec<Daemon>,
}

impl<'net> Ssh<'net> {
    pub fn up(net: &'net Net) -> anyhow::Result<Self> {
        packages::need(&packages::SSH)?;
        fs::create_dir_all(SEPARATION).context(SEPARATION)?;
        let mut ssh = Ssh { net, folder: net.folder().join("ssh"), daemons: Vec::new() };
        fs::create_dir(&ssh.folder)?;
        ssh.make_key("host_key")?;
        ssh.make_key("user_key")?;
        fs::copy(ssh.folder.join("user_key.pub"), ssh.folder.join("authorized_keys"))?;
        fs::write(ssh.config(), ssh.client_side()?)?;
        let config = ssh.config();
        for program in ["ssh", "scp"] {
            let line = format!("exec /usr/bin/{program} -F {} \"$@\"", config.display());
            net.replace(program, &line)?;
        }
        for name in net.names() {
            let settings = ssh.folder.join(format!("sshd_config-{name}"));
            fs::write(&settings, ssh.server_side(name))?;
            let settings = settings.display().to_string();
            // It starts itself again for each connection, and wants to be called by its whole path for that.
            let words = ["/usr/sbin/sshd", "-D", "-e", "-f", &settings];
            let daemon = match name.as_str() {
                FRESH => Daemon::start(net, name, &words)?,
                _ => Daemon::start_on_disk(net, name, &net.cache(name).join(PLACES), &words)?,
            };
            ssh.daemons.push(daemon);
        }
        ssh.wait()?;
        Ok(ssh)
    }

    fn make_key(&self, name: &str) -> anyhow::Result<()> {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(self.folder.join(name));
        output(&mut keygen).map(drop)
    }

    /// A bash of this level reads no .bashrc of root, which takes time and may put other programs first.
    fn server_side(&self, name: &str) -> String {
        let folder = self.folder.display();
        let (path, mark, cache) = (self.net.path(), self.net.mark(), self.net.cache(name));
        format!(
            "Port 22\nAddressFamily inet\nHostKey {folder}/host_key\nAuthorizedKeysFile {folder}/authorized_keys\n\
             PidFile none\nUsePAM no\nStrictModes no\nUseDNS no\nPrintMotd no\nPermitRootLogin prohibit-password\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 500\nMaxSessions 500\n\
             SetEnv PATH={} XDG_CACHE_HOME={} {mark} SHLVL=1\n",
            path.display(),
            cache.display()
        )
    }

    fn client_side(&self) -> anyhow::Result<String> {
        let folder = self.folder.display();
        let mut text = String::new();
        for name in self.net.names() {
            text += &format!("Host {name}\n  HostName {}\n", self.net.address(name)?);
        }
        text += &format!(
            "Host *\n  User root\n  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n  IdentityAgent none\n  \
             UserKnownHostsFile {folder}/known_hosts\n  GlobalKnownHostsFile /dev/null\n  \
             StrictHostKeyChecking accept-new\n  BatchMode yes\n  LogLevel ERROR\n"
        );
        Ok(text)
    }

    /// Until each can be logged in at, which makes them known hosts, too.
    fn wait(&mut self) -> anyhow::Result<()> {
        for (daemon, name) in self.daemons.iter_mut().zip(self.net.names()) {
            let mut last = String::new();
            let answers = until("ssh", UP_WITHIN, || {
                daemon.is_up()?;
                let tried = output(self.net.outside("ssh").args([name, "true"]));
                last = tried.as_ref().err().map(|error| format!("{error:#}")).unwrap_or_default();
                Ok(tried.is_ok())
            });
            answers.with_context(|| format!("{last}; {}", daemon.last_words()))?;
        }
        Ok(())
    }

    /// Configuration file for `ssh -F`.
    pub fn config(&self) -> PathBuf {
        self.folder.join("config")
    }

    pub fn version(&self) -> anyhow::Result<String> {
        // It prints this on its standard error.
        output(Command::new("sh").args(["-c", "/usr/bin/ssh -V 2>&1"]))
    }
}
