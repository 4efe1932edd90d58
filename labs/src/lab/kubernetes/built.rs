//! The programs of a cluster, built from their Go modules once for each version and kept outside of the repository.

use super::super::commands::output;
use crate::tools::run_command;
use anyhow::{Context, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of Kubernetes; its libraries have a 0 where it has a 1.
pub const VERSION: &str = "1.34.4";
const KUBERNETES: &str = "k8s.io/kubernetes";

const PAUSE: &str = include_str!("pause.go");

/// Go module that a program is built from.
struct Module {
    /// The folder in which it is required.
    folder: &'static str,
    path: &'static str,
    version: &'static str,
}

const OF_KUBERNETES: Module = Module { folder: "kubernetes", path: KUBERNETES, version: VERSION };
const OF_ETCD: Module = Module { folder: "etcd", path: "go.etcd.io/etcd/server/v3", version: "3.6.4" };
const OF_COREDNS: Module =
    Module { folder: "coredns", path: "github.com/coredns/coredns", version: "1.12.4" };

/// Programs, and the packages that they are.
const PROGRAMS: [(&str, &Module, &str); 7] = [
    ("etcd", &OF_ETCD, "go.etcd.io/etcd/server/v3"),
    ("kube-apiserver", &OF_KUBERNETES, "k8s.io/kubernetes/cmd/kube-apiserver"),
    ("kube-controller-manager", &OF_KUBERNETES, "k8s.io/kubernetes/cmd/kube-controller-manager"),
    ("kube-scheduler", &OF_KUBERNETES, "k8s.io/kubernetes/cmd/kube-scheduler"),
    ("kubelet", &OF_KUBERNETES, "k8s.io/kubernetes/cmd/kubelet"),
    ("kubectl", &OF_KUBERNETES, "k8s.io/kubernetes/cmd/kubectl"),
    ("coredns", &OF_COREDNS, "github.com/coredns/coredns"),
];

/// Builds what is missing: minutes, and a gigabyte of modules. Returns the folder with all programs.
pub fn programs() -> anyhow::Result<PathBuf> {
    let cache = cache()?;
    let bin = cache.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("{}", bin.display()))?;
    for (program, module, package) in PROGRAMS {
        if !bin.join(program).exists() {
            let folder = cache.join(module.folder);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("go.mod"), requirement(module)?)?;
            build(&folder, package, &bin.join(program))?;
        }
    }
    if !bin.join("pause").exists() {
        let folder = cache.join("pause");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("go.mod"), "module pause\n")?;
        fs::write(folder.join("main.go"), PAUSE)?;
        build(&folder, ".", &bin.join("pause"))?;
    }
    Ok(bin)
}

fn cache() -> anyhow::Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    let cache = cache.context("neither XDG_CACHE_HOME nor HOME says where to keep what is built")?;
    Ok(cache.join("proofload-lab").join(format!("kubernetes-v{VERSION}")))
}

fn build(folder: &Path, package: &str, program: &Path) -> anyhow::Result<()> {
    println!("building {}", program.display());
    let part = program.with_extension("part");
    let mut go = go(folder);
    go.args(["build", "-mod=mod", "-buildvcs=false", "-trimpath", "-ldflags", &flags(), "-o"]).arg(&part);
    run_command(go.arg(package))?;
    fs::rename(&part, program).with_context(|| format!("{}", program.display()))
}

fn go(folder: &Path) -> Command {
    let mut go = Command::new("go");
    go.current_dir(folder).env("CGO_ENABLED", "0");
    go
}

/// Without symbols. The version is what Kubernetes' own build would write there.
fn flags() -> String {
    let mut minor = VERSION.split('.');
    let (major, minor) = (minor.next().unwrap_or_default(), minor.next().unwrap_or_default());
    let version = "k8s.io/component-base/version";
    format!(
        "-s -w -X {version}.gitVersion=v{VERSION} -X {version}.gitMajor={major} -X {version}.gitMinor={minor} \
         -X k8s.io/client-go/pkg/version.gitVersion=v{VERSION}"
    )
}

/// A go.mod that has a module. Kubernetes replaces its libraries by folders of its repository, which a module does not have.
fn requirement(module: &Module) -> anyhow::Result<String> {
    let Module { path, version, .. } = module;
    let mut text = format!("module lab\n\ngo 1.24.0\n\nrequire {path} v{version}\n");
    if *path == KUBERNETES {
        for library in libraries(&own_requirements()?) {
            let version = version.replacen('1', "0", 1);
            let _ = writeln!(text, "replace {library} => {library} v{version}");
        }
    }
    Ok(text)
}

/// The go.mod of Kubernetes itself.
fn own_requirements() -> anyhow::Result<String> {
    let mut go = go(&std::env::temp_dir());
    let told = output(go.args(["mod", "download", "-json", &format!("{KUBERNETES}@v{VERSION}")]))?;
    let told: serde_json::Value = serde_json::from_str(&told).context("go mod download -json")?;
    let path = told["GoMod"].as_str().context("go does not say where the go.mod is")?;
    let text = fs::read_to_string(path).with_context(|| path.to_owned())?;
    ensure!(text.contains("./staging/"), "{path}: replaces no library");
    Ok(text)
}

fn libraries(go_mod: &str) -> impl Iterator<Item = &str> {
    let replaced = go_mod.lines().filter_map(|line| line.split_once(" => ./staging/"));
    replaced.map(|(library, _)| library.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_those_that_kubernetes_replaces() {
        let text = "require (\n\tk8s.io/api v0.0.0\n\tk8s.io/klog/v2 v2.1\n)\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n)\n";
        assert_eq!(libraries(text).collect::<Vec<_>>(), ["k8s.io/api"]);
    }

    #[test]
    fn the_version_is_told_as_kubernetes_tells_it() {
        assert!(flags().contains("gitVersion=v1.34.4 ") && flags().contains("gitMajor=1 "), "{}", flags());
        assert!(flags().contains("gitMinor=34 "), "{}", flags());
    }
}
