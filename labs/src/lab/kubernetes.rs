//! A Kubernetes cluster whose nodes are the places of a net.

mod built;
mod keys;
mod node;

use super::commands::{output, until};
use super::daemon::Daemon;
use super::net::{HUB, Net};
use super::packages;
use super::pods::NAMESPACE;
use super::settings;
use crate::image;
use anyhow::{Context, ensure};
use keys::{Keys, write};
use node::Node;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Of what holds a pod's namespaces.
const PAUSE: &str = concat!("localhost/pause:", env!("CARGO_PKG_VERSION"));

/// Lower priority for the cluster's own processes: here they have the same CPUs as the measurement. Containers are not
/// among them.
const PATIENT: [&str; 3] = ["nice", "-n", "10"];

const UP_WITHIN: Duration = Duration::from_secs(120);

/// Settings that a kubelet makes for the whole machine.
const SETTINGS: [&str; 6] = [
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
];

/// The control plane and the names of the cluster at the hub, a node at each place. `kubectl` works at every place and outside.
pub struct Kubernetes<'net> {
    net: &'net Net,
    folder: PathBuf,
    bin: PathBuf,
    nodes: Vec<Node>,
    daemons: Vec<Daemon>,
}

impl<'net> Kubernetes<'net> {
    pub fn up(net: &'net Net) -> anyhow::Result<Self> {
        packages::need(&packages::KUBERNETES)?;
        let (bin, folder) = (built::programs()?, net.folder().join("kubernetes"));
        fs::create_dir(&folder)?;
        settings::keep(net.folder(), &SETTINGS)?;
        let mut cluster = Kubernetes { net, folder, bin, nodes: Vec::new(), daemons: Vec::new() };
        let keys = Keys::make(cluster.folder.join("keys"))?;
        let (hub, server) = (net.address(HUB)?, cluster.server()?);
        keys.issue("api", "kube-apiserver", "system:masters", &[hub, "10.99.0.1".parse()?])?;
        keys.issue("admin", "admin", "system:masters", &[])?;
        keys.issue("controllers", "system:kube-controller-manager", "lab", &[])?;
        keys.issue("scheduler", "system:kube-scheduler", "lab", &[])?;
        let access = keys.access("admin", &server)?;
        let kubectl = cluster.bin.join("kubectl");
        let (access, cache) = (access.display(), cluster.folder.join("kubectl"));
        let environment = format!("KUBECONFIG={access} KUBECACHEDIR={}", cache.display());
        let line = format!("{environment} exec {} {} \"$@\"", PATIENT.join(" "), kubectl.display());
        net.replace("kubectl", &line)?;
        cluster.start_control_plane(&keys)?;
        for name in net.names() {
            node::route(net, name)?;
            cluster.nodes.push(Node::up(net, &keys, &cluster.bin, name, &server)?);
        }
        cluster.load("localhost/pause", "pause", &cluster.bin.join("pause"))?;
        cluster.wait("all nodes are ready", || {
            let mut kubectl = net.outside("kubectl");
            let told = output(kubectl.args(["get", "nodes", "--no-headers"])).unwrap_or_default();
            told.lines().filter(|line| line.contains(" Ready ")).count() == net.names().len()
        })?;
        cluster.make_namespace()?;
        Ok(cluster)
    }

    fn server(&self) -> anyhow::Result<String> {
        Ok(format!("https://{}:6443", self.net.address(HUB)?))
    }

    fn start(&mut self, program: &str, words: &[String]) -> anyhow::Result<()> {
        let path = self.bin.join(program).display().to_string();
        let patient = PATIENT[1..].iter().copied().chain([path.as_str()]);
        let words: Vec<&str> = patient.chain(words.iter().map(String::as_str)).collect();
        let command = self.net.command(HUB, PATIENT[0]);
        self.daemons.push(Daemon::start_by(self.net, &format!("{program}-{HUB}"), command, &words)?);
        Ok(())
    }

    fn start_control_plane(&mut self, keys: &Keys) -> anyhow::Result<()> {
        let key = |option: &str, file: &str| format!("--{option}={}", keys.path(file).display());
        let hub = self.net.address(HUB)?;
        self.start(
            "etcd",
            &[
                format!("--data-dir={}", self.folder.join("etcd").display()),
                // What is in there goes with the lab.
                "--unsafe-no-fsync".into(),
            ],
        )?;
        self.start(
            "kube-apiserver",
            &[
                format!("--bind-address={hub}"),
                format!("--advertise-address={hub}"),
                "--etcd-servers=http://127.0.0.1:2379".into(),
                "--service-cluster-ip-range=10.99.0.0/24".into(),
                "--authorization-mode=Node,RBAC".into(),
                "--enable-admission-plugins=NodeRestriction".into(),
                "--service-account-issuer=https://kubernetes.default.svc".into(),
                key("client-ca-file", "ca.crt"),
                key("tls-cert-file", "api.crt"),
                key("tls-private-key-file", "api.key"),
                key("kubelet-client-certificate", "api.crt"),
                key("kubelet-client-key", "api.key"),
                key("service-account-key-file", "accounts.key"),
                key("service-account-signing-key-file", "accounts.key"),
            ],
        )?;
        let net = self.net;
        self.wait("the API answers", || {
            output(net.outside("kubectl").args(["get", "--raw", "/readyz"])).is_ok()
        })?;
        let server = self.server()?;
        let of = |name: &str| anyhow::Ok(format!("--kubeconfig={}", keys.access(name, &server)?.display()));
        let alone = ["--leader-elect=false".to_owned(), "--bind-address=127.0.0.1".to_owned()];
        self.start("kube-scheduler", &[&[of("scheduler")?], &alone[..]].concat())?;
        let controllers = [
            of("controllers")?,
            // Each controller with the rights that it has in any cluster.
            "--use-service-account-credentials".into(),
            key("root-ca-file", "ca.crt"),
            key("service-account-private-key-file", "accounts.key"),
        ];
        self.start("kube-controller-manager", &[&controllers, &alone[..]].concat())?;
        let corefile = self.folder.join("Corefile");
        let access = keys.path("admin.kubeconfig");
        let text = format!(
            ". {{\n  bind {hub}\n  errors\n  kubernetes cluster.local {{\n    kubeconfig {} lab\n    ttl 1\n  }}\n}}\n",
            access.display()
        );
        write(&corefile, &text)?;
        self.start("coredns", &["-conf".into(), corefile.display().to_string()])
    }

    /// With an account, which the admission of pods asks for.
    fn make_namespace(&mut self) -> anyhow::Result<()> {
        let net = self.net;
        self.kubectl(&["create", "namespace", NAMESPACE])?;
        self.kubectl(&["label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted"])?;
        self.wait("the namespace has an account", || {
            let mut kubectl = net.outside("kubectl");
            output(kubectl.args(["get", "-n", NAMESPACE, "serviceaccount", "default"])).is_ok()
        })
    }

    fn wait(&mut self, what: &str, is_there: impl Fn() -> bool) -> anyhow::Result<()> {
        let (nodes, daemons) = (&mut self.nodes, &mut self.daemons);
        let came = until(what, UP_WITHIN, || {
            daemons.iter_mut().try_for_each(Daemon::is_up)?;
            nodes.iter_mut().try_for_each(Node::is_up)?;
            Ok(is_there())
        });
        let words = daemons.iter().map(Daemon::last_words).chain(nodes.iter().map(Node::last_words));
        came.with_context(|| words.collect::<Vec<_>>().join("\n"))
    }

    /// Makes an image of an executable, and has all nodes know it.
    fn load(&self, name: &str, program: &str, binary: &Path) -> anyhow::Result<()> {
        let archive = self.folder.join("image.tar");
        image::of_this_machine(name, program, binary, &archive)?;
        self.nodes.iter().try_for_each(|node| node.load(self.net, &archive))?;
        fs::remove_file(&archive).with_context(|| format!("{}", archive.display()))
    }

    /// The image of Proofload, of this executable.
    pub fn load_proofload(&self, binary: &Path) -> anyhow::Result<()> {
        self.load(image::NAME, image::PROGRAM, binary)
    }

    fn kubectl(&self, words: &[&str]) -> anyhow::Result<String> {
        output(self.net.outside("kubectl").args(words))
    }

    pub fn version(&self) -> anyhow::Result<String> {
        let told: Value = serde_json::from_str(&self.kubectl(&["version", "-o", "json"])?)?;
        let server = told["serverVersion"]["gitVersion"].as_str().context("kubectl version")?;
        ensure!(server == format!("v{}", built::VERSION), "the cluster is of version {server}");
        let containerd = output(Command::new("containerd").arg("--version"))?;
        let containerd = containerd.split_whitespace().nth(2).unwrap_or_default();
        Ok(format!("Kubernetes {server}, containerd {containerd}"))
    }
}

impl Drop for Kubernetes<'_> {
    fn drop(&mut self) {
        // Who starts others goes first.
        self.nodes.clear();
    }
}
