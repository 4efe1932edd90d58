//! One node: containerd and a kubelet at a place, with files, mounts, control groups and pods' addresses of their own.

use super::super::cgroups;
use super::super::commands::{ip, output, until};
use super::super::daemon::Daemon;
use super::super::net::{HUB, Net};
use super::keys::{Keys, write};
use anyhow::Context;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const UP_WITHIN: Duration = Duration::from_secs(30);

/// Folder in which Debian has the plugins that give pods their network.
const CNI: &str = "/usr/lib/cni";

/// Folders where programs of a node write at paths that cannot be configured. Those of a node go with it.
const OWN: &str =
    "for folder in /run /var/lib /var/log; do mount -t tmpfs -o size=64m lab $folder; done; exec \"$@\"";

/// Ten characters are as many as a bridge's name may have beside others.
const BRIDGE: &str = "pods";

/// A node that runs pods.
pub struct Node {
    name: String,
    folder: PathBuf,
    containerd: Daemon,
    kubelet: Daemon,
}

impl Node {
    /// Starts both programs. It is known to the cluster a little later.
    pub fn up(net: &Net, keys: &Keys, bin: &Path, name: &str, server: &str) -> anyhow::Result<Self> {
        let folder = net.folder().join("kubernetes").join(name);
        fs::create_dir_all(folder.join("cni")).with_context(|| format!("{}", folder.display()))?;
        cgroups::make(&net.group(name))?;
        write(&folder.join("cni/lab.conflist"), &network(net, &folder, name)?)?;
        write(&folder.join("containerd.toml"), &containerd_settings(&folder))?;
        write(&folder.join("kubelet.json"), &kubelet_settings(net, keys, &folder, name)?)?;
        let user = format!("system:node:{name}");
        keys.issue(name, &user, "system:nodes", &[net.address(name)?])?;
        let access = keys.access(name, server)?;
        let file = |file: &str| folder.join(file).display().to_string();
        let words = ["sh", "-c", OWN, "containerd", "containerd", "--config", &file("containerd.toml")];
        let mut containerd = Daemon::start_by(
            net,
            &format!("containerd-{name}"),
            net.on_machine(name, words[0]),
            &words[1..],
        )?;
        let socket = folder.join("containerd.sock");
        let came = until("containerd", UP_WITHIN, || {
            containerd.is_up()?;
            Ok(socket.exists())
        });
        came.with_context(|| containerd.last_words())?;
        let mut beside = net.outside("nsenter");
        beside.args(["--target", &containerd.pid().to_string(), "--mount", "--net", "--uts"]);
        beside.args(super::PATIENT);
        let words = [
            &bin.join("kubelet").display().to_string(),
            "--config",
            &file("kubelet.json"),
            "--kubeconfig",
            &access.display().to_string(),
            "--hostname-override",
            name,
            "--node-ip",
            &net.address(name)?.to_string(),
            "--root-dir",
            &file("kubelet"),
            "--cert-dir",
            &file("certificates"),
        ];
        let kubelet = Daemon::start_by(net, &format!("kubelet-{name}"), beside, &words)?;
        Ok(Node { name: name.to_owned(), folder, containerd, kubelet })
    }

    /// Fails if one of its programs ended.
    pub fn is_up(&mut self) -> anyhow::Result<()> {
        self.containerd.is_up()?;
        self.kubelet.is_up()
    }

    /// Last lines of both programs' output.
    pub fn last_words(&self) -> String {
        format!("{}\n{}", self.containerd.last_words(), self.kubelet.last_words())
    }

    /// Has it know an image, which it never asks a registry for.
    pub fn load(&self, net: &Net, image: &Path) -> anyhow::Result<()> {
        let mut ctr = net.outside("ctr");
        ctr.arg("--address").arg(self.folder.join("containerd.sock"));
        ctr.args(["--namespace", "k8s.io", "images", "import"]).arg(image);
        output(&mut ctr).map(drop).with_context(|| format!("{} on {}", image.display(), self.name))
    }
}

/// Addresses of the pods of a node, without the last number.
fn pods(net: &Net, name: &str) -> anyhow::Result<String> {
    let [_, _, subnet, number] = net.address(name)?.octets();
    Ok(format!("10.{}.{subnet}", 100 + u32::from(number)))
}

/// Every other place reaches the pods of a node through the node.
pub fn route(net: &Net, name: &str) -> anyhow::Result<()> {
    let (pods, through) = (pods(net, name)?, net.address(name)?);
    let route = format!("route add {pods}.0/24 via {through}");
    let others = net.names().iter().map(String::as_str).filter(|other| *other != name);
    for other in others.chain([HUB]) {
        ip(&format!("-n {} {route}", net.namespace(other)))?;
    }
    ip(&route).map(drop)
}

fn network(net: &Net, folder: &Path, name: &str) -> anyhow::Result<String> {
    let network = json!({
        "cniVersion": "1.0.0",
        "name": "lab",
        "plugins": [{
            "type": "bridge",
            "bridge": BRIDGE,
            "isGateway": true,
            "ipam": {
                "type": "host-local",
                "dataDir": folder.join("addresses"),
                "ranges": [[{ "subnet": format!("{}.0/24", pods(net, name)?) }]],
                "routes": [{ "dst": "0.0.0.0/0" }],
            },
        }],
    });
    Ok(network.to_string())
}

/// A root without all rights may not exempt a process from the kernel's choice when memory is short.
fn containerd_settings(folder: &Path) -> String {
    let folder = folder.display();
    let cri = "plugins.\"io.containerd.grpc.v1.cri\"";
    format!(
        "version = 2\nroot = \"{folder}/root\"\nstate = \"{folder}/state\"\n\
         disabled_plugins = [\"io.containerd.snapshotter.v1.aufs\", \"io.containerd.snapshotter.v1.btrfs\", \
         \"io.containerd.snapshotter.v1.devmapper\", \"io.containerd.snapshotter.v1.zfs\", \
         \"io.containerd.internal.v1.tracing\", \"io.containerd.tracing.processor.v1.otlp\"]\n\
         [grpc]\naddress = \"{folder}/containerd.sock\"\n\
         [plugins.\"io.containerd.internal.v1.opt\"]\npath = \"{folder}/opt\"\n\
         [{cri}]\nsandbox_image = \"{}\"\nnetns_mounts_under_state_dir = true\n\
         restrict_oom_score_adj = true\n\
         [{cri}.cni]\nbin_dir = \"{CNI}\"\nconf_dir = \"{folder}/cni\"\n\
         [{cri}.containerd.runtimes.runc]\nruntime_type = \"io.containerd.runc.v2\"\n\
         [{cri}.containerd.runtimes.runc.options]\nRoot = \"{folder}/runc\"\n",
        super::PAUSE
    )
}

fn kubelet_settings(net: &Net, keys: &Keys, folder: &Path, name: &str) -> anyhow::Result<String> {
    let address = net.address(name)?;
    let settings = json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": address,
        "authentication": {
            "anonymous": { "enabled": false },
            "webhook": { "enabled": false },
            "x509": { "clientCAFile": keys.path("ca.crt") },
        },
        "authorization": { "mode": "AlwaysAllow" },
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": format!("/{}", net.group(name)),
        "clusterDNS": [net.address(HUB)?],
        "clusterDomain": "cluster.local",
        "containerRuntimeEndpoint": format!("unix://{}/containerd.sock", folder.display()),
        "enforceNodeAllocatable": [],
        // The machine's disk may be as full as it likes.
        "evictionHard": { "memory.available": "50Mi" },
        "failSwapOn": false,
        "imageGCHighThresholdPercent": 100,
        "makeIPTablesUtilChains": false,
        "podLogsDir": folder.join("logs"),
        "resolvConf": "",
        "volumePluginDir": folder.join("plugins"),
    });
    Ok(settings.to_string())
}
