//! Keys, certificates and how programs of a cluster reach its API.

use super::super::commands::output;
use anyhow::Context;
use serde_json::json;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One authority, which all of the cluster trust. Keys are of one lab, and go with it.
pub struct Keys {
    folder: PathBuf,
}

impl Keys {
    /// The authority, and the key that tokens of service accounts are signed with.
    pub fn make(folder: PathBuf) -> anyhow::Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
        let keys = Keys { folder };
        keys.request("ca", "CN = proofload-lab", "basicConstraints = critical, CA:TRUE", &[])?;
        let mut sign = Command::new("openssl");
        sign.args(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out"]);
        output(sign.arg(keys.path("accounts.key")))?;
        Ok(keys)
    }

    /// A file of these.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// `NAME.crt` and `NAME.key` of a user, who may be a server at these addresses.
    pub fn issue(&self, name: &str, user: &str, group: &str, addresses: &[Ipv4Addr]) -> anyhow::Result<()> {
        let mut names = vec!["DNS:localhost".to_owned(), "IP:127.0.0.1".to_owned()];
        names.extend(addresses.iter().map(|address| format!("IP:{address}")));
        let extensions = format!(
            "basicConstraints = critical, CA:FALSE\nextendedKeyUsage = serverAuth, clientAuth\nsubjectAltName = {}",
            names.join(", ")
        );
        let (certificate, key) = (self.path("ca.crt"), self.path("ca.key"));
        let signed = ["-CA".as_ref(), certificate.as_os_str(), "-CAkey".as_ref(), key.as_os_str()];
        self.request(name, &format!("O = {group}\nCN = {user}"), &extensions, &signed)
    }

    fn request(
        &self,
        name: &str,
        subject: &str,
        extensions: &str,
        more: &[&std::ffi::OsStr],
    ) -> anyhow::Result<()> {
        let config = self.path(&format!("{name}.cnf"));
        let text = format!(
            "[req]\nprompt = no\ndistinguished_name = subject\nx509_extensions = extensions\n\
             [subject]\n{subject}\n[extensions]\n{extensions}\n"
        );
        fs::write(&config, text).with_context(|| format!("{}", config.display()))?;
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt"]);
        openssl.arg("ec_paramgen_curve:P-256").arg("-config").arg(&config);
        openssl.arg("-keyout").arg(self.path(&format!("{name}.key")));
        openssl.arg("-out").arg(self.path(&format!("{name}.crt")));
        output(openssl.args(more)).map(drop)
    }

    /// Configuration with which the holder of a certificate reaches the API.
    pub fn access(&self, name: &str, server: &str) -> anyhow::Result<PathBuf> {
        let file = |file: String| self.path(&file).display().to_string();
        let access = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "lab",
            "contexts": [{ "name": "lab", "context": { "cluster": "lab", "user": name } }],
            "clusters": [{
                "name": "lab",
                "cluster": { "server": server, "certificate-authority": file("ca.crt".into()) },
            }],
            "users": [{
                "name": name,
                "user": {
                    "client-certificate": file(format!("{name}.crt")),
                    "client-key": file(format!("{name}.key")),
                },
            }],
        });
        let path = self.path(&format!("{name}.kubeconfig"));
        write(&path, &access.to_string())?;
        Ok(path)
    }
}

/// Writes a file of a cluster.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("{}", path.display()))
}
