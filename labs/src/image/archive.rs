//! The archive of an image: an OCI image layout (<https://github.com/opencontainers/image-spec>), with the `manifest.json` beside
//! it by which `docker load` of every age finds the same blobs. The same executable gives the same bytes.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// User that runs in the image, the only one in it. `runAsNonRoot` of Kubernetes can check its number.
const USER: u64 = 65_532;
/// Of everything, so that builds can be compared.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// A JVM looks up its user's name for the file with its performance data, and writes none without.
const PASSWD: &str = "root:x:0:0::/:/sbin/nologin\nproofload:x:65532:65532::/tmp:/sbin/nologin\n";
const GROUP: &str = "root:x:0:\nproofload:x:65532:\n";

/// A blob with its digest, `sha256:` and 64 digits.
struct Blob {
    bytes: Vec<u8>,
    digest: String,
}

impl Blob {
    fn new(bytes: Vec<u8>) -> Blob {
        let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Blob { bytes, digest: format!("sha256:{hex}") }
    }

    fn json(value: &Value) -> Blob {
        Blob::new(value.to_string().into_bytes())
    }

    /// Its place in the archive.
    fn path(&self) -> String {
        format!("blobs/{}", self.digest.replace(':', "/"))
    }

    fn descriptor(&self, media_type: &str) -> Value {
        json!({ "digest": self.digest, "mediaType": media_type, "size": self.bytes.len() })
    }
}

/// Content of an image, and its name.
pub struct Image<'a> {
    /// `localhost` is not a registry: none is asked for such an image where it is not loaded.
    pub name: &'a str,
    /// The tag.
    pub version: &'a str,
    /// In the words of container images.
    pub architecture: &'a str,
    /// Path of the executable, without the first slash.
    pub program: &'a str,
    /// The executable.
    pub binary: &'a [u8],
    /// Files that the executable needs, by their paths without the first slash.
    pub libraries: &'a [(String, Vec<u8>)],
}

impl Image<'_> {
    /// Reference by which an engine is asked for it.
    pub fn reference(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

/// The whole archive.
pub fn archive(image: &Image<'_>) -> anyhow::Result<Vec<u8>> {
    let layer = Blob::new(layer(image)?);
    let config = Blob::json(&config(image, &layer));
    let manifest = Blob::json(&json!({
        "config": config.descriptor("application/vnd.oci.image.config.v1+json"),
        "layers": [layer.descriptor("application/vnd.oci.image.layer.v1.tar")],
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "schemaVersion": 2,
    }));
    let for_docker = json!([{
        "Config": config.path(),
        "Layers": [layer.path()],
        "RepoTags": [image.reference()],
    }]);
    let layout = json!({ "imageLayoutVersion": "1.0.0" });
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::from([
        ("index.json".into(), index(&manifest, image).to_string().into_bytes()),
        ("manifest.json".into(), for_docker.to_string().into_bytes()),
        ("oci-layout".into(), layout.to_string().into_bytes()),
    ]);
    files.extend([layer, config, manifest].map(|blob| (blob.path(), blob.bytes)));
    let mut tar = Tar::new();
    for folder in ["blobs/", "blobs/sha256/"] {
        tar.folder(folder, 0o755, 0)?;
    }
    for (path, bytes) in &files {
        tar.file(path, bytes, 0o644)?;
    }
    tar.end()
}

/// Index of the archive: its image, and the name of that.
fn index(manifest: &Blob, image: &Image<'_>) -> Value {
    let mut listed = manifest.descriptor("application/vnd.oci.image.manifest.v1+json");
    listed["platform"] = json!({ "architecture": image.architecture, "os": "linux" });
    listed["annotations"] = json!({
        "io.containerd.image.name": image.reference(),
        "org.opencontainers.image.ref.name": image.version,
    });
    json!({
        "manifests": [listed],
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "schemaVersion": 2,
    })
}

/// Content of the image: the command, its user, and the folders that it may write to.
fn layer(image: &Image<'_>) -> anyhow::Result<Vec<u8>> {
    let mut tar = Tar::new();
    tar.folder("etc/", 0o755, 0)?;
    tar.file("etc/group", GROUP.as_bytes(), 0o644)?;
    tar.file("etc/passwd", PASSWD.as_bytes(), 0o644)?;
    tar.folder("runs/", 0o755, USER)?;
    tar.folder("tmp/", 0o1777, USER)?;
    tar.folder("usr/", 0o755, 0)?;
    tar.folder("usr/bin/", 0o755, 0)?;
    tar.file(image.program, image.binary, 0o755)?;
    for (path, bytes) in image.libraries {
        tar.file(path, bytes, 0o755)?;
    }
    tar.end()
}

fn config(image: &Image<'_>, layer: &Blob) -> Value {
    json!({
        "architecture": image.architecture,
        "config": {
            "Entrypoint": [format!("/{}", image.program)],
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp"],
            "Labels": {
                "org.opencontainers.image.licenses": "Apache-2.0",
                "org.opencontainers.image.title": "proofload",
                "org.opencontainers.image.version": image.version,
            },
            "User": format!("{USER}:{USER}"),
            "WorkingDir": "/runs",
        },
        "created": CREATED,
        "history": [{ "created": CREATED, "created_by": "cargo xtask image" }],
        "os": "linux",
        "rootfs": { "diff_ids": [layer.digest], "type": "layers" },
    })
}

/// A tar archive whose bytes depend on nothing but what is put in.
struct Tar(tar::Builder<Vec<u8>>);

impl Tar {
    fn new() -> Tar {
        Tar(tar::Builder::new(Vec::new()))
    }

    fn folder(&mut self, path: &str, mode: u32, owner: u64) -> anyhow::Result<()> {
        self.entry(path, tar::EntryType::Directory, &[], mode, owner)
    }

    fn file(&mut self, path: &str, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
        self.entry(path, tar::EntryType::Regular, bytes, mode, 0)
    }

    fn entry(
        &mut self,
        path: &str,
        kind: tar::EntryType,
        bytes: &[u8],
        mode: u32,
        owner: u64,
    ) -> anyhow::Result<()> {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_uid(owner);
        header.set_gid(owner);
        header.set_mtime(0);
        Ok(self.0.append_data(&mut header, path, bytes)?)
    }

    fn end(self) -> anyhow::Result<Vec<u8>> {
        Ok(self.0.into_inner()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    const BINARY: &[u8] = b"an executable";
    const IMAGE: Image<'static> = Image {
        name: "localhost/proofload",
        version: "1.2.3",
        architecture: "amd64",
        program: "usr/bin/proofload",
        binary: BINARY,
        libraries: &[],
    };

    /// Files of an archive with their owners, modes and times; folders have no content.
    fn entries(archive: &[u8]) -> BTreeMap<String, (Vec<u8>, u64, u32, u64)> {
        let mut tar = tar::Archive::new(archive);
        let read = tar.entries().expect("an archive").map(|entry| {
            let mut entry = entry.expect("an entry");
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("its bytes");
            let path = entry.path().expect("a path").display().to_string();
            let header = entry.header();
            let owner = header.uid().expect("an owner");
            assert_eq!(owner, header.gid().expect("a group"));
            let mode = header.mode().expect("a mode");
            (path, (bytes, owner, mode, header.mtime().expect("a time")))
        });
        read.collect()
    }

    fn made() -> BTreeMap<String, (Vec<u8>, u64, u32, u64)> {
        entries(&archive(&IMAGE).expect("an archive"))
    }

    fn json_of(files: &BTreeMap<String, (Vec<u8>, u64, u32, u64)>, path: &str) -> Value {
        serde_json::from_slice(&files[path].0).expect(path)
    }

    /// The blob that a descriptor names, checked against its digest and its size.
    fn blob<'a>(files: &'a BTreeMap<String, (Vec<u8>, u64, u32, u64)>, descriptor: &Value) -> &'a [u8] {
        let digest = descriptor["digest"].as_str().expect("a digest");
        let bytes = &files[&format!("blobs/{}", digest.replace(':', "/"))].0;
        assert_eq!(Blob::new(bytes.clone()).digest, digest);
        assert_eq!(descriptor["size"], bytes.len());
        bytes
    }

    #[test]
    fn every_digest_is_that_of_its_blob_from_the_index_to_the_layer() {
        let files = made();
        assert_eq!(json_of(&files, "oci-layout")["imageLayoutVersion"], "1.0.0");
        let index = json_of(&files, "index.json");
        let manifest: Value =
            serde_json::from_slice(blob(&files, &index["manifests"][0])).expect("a manifest");
        let config: Value =
            serde_json::from_slice(blob(&files, &manifest["config"])).expect("a configuration");
        let layer = blob(&files, &manifest["layers"][0]);
        assert_eq!(config["rootfs"]["diff_ids"], json!([Blob::new(layer.to_vec()).digest]));
        assert_eq!(config["config"]["User"], "65532:65532");
        assert_eq!(config["config"]["Entrypoint"], json!(["/usr/bin/proofload"]));
        let for_docker = json_of(&files, "manifest.json");
        assert_eq!(for_docker[0]["RepoTags"], json!(["localhost/proofload:1.2.3"]));
        for path in [&for_docker[0]["Config"], &for_docker[0]["Layers"][0]] {
            assert!(files.contains_key(path.as_str().expect("a path")), "{path}");
        }
        let blobs = files.keys().filter(|path| path.starts_with("blobs/sha256/") && path.len() > 64).count();
        assert_eq!(blobs, 3, "nothing that nobody asks for");
    }

    /// The digest is of `printf 'an executable' | sha256sum`.
    #[test]
    fn digests_are_those_of_sha256sum() {
        assert_eq!(
            Blob::new(BINARY.to_vec()).digest,
            "sha256:166e52f5c1e9c396d56e03ed5f78524b6eb5286e43a17ac9c8191de294f0b83d"
        );
    }

    #[test]
    fn the_layer_has_the_command_and_places_to_write_and_nothing_else() {
        let inside = entries(&layer(&IMAGE).expect("a layer"));
        let shown: Vec<String> =
            inside.iter().map(|(path, (_, owner, mode, _))| format!("{path} {owner} {mode:o}")).collect();
        assert_eq!(
            shown,
            [
                "etc/ 0 755",
                "etc/group 0 644",
                "etc/passwd 0 644",
                "runs/ 65532 755",
                "tmp/ 65532 1777",
                "usr/ 0 755",
                "usr/bin/ 0 755",
                "usr/bin/proofload 0 755",
            ]
        );
        assert_eq!(inside["usr/bin/proofload"].0, BINARY);
        assert!(PASSWD.contains(&format!(":{USER}:{USER}:")) && GROUP.contains(&format!(":{USER}:")));
    }

    #[test]
    fn what_the_executable_needs_lies_where_it_looks_for_it() {
        let libraries = [("lib64/loader.so".to_owned(), b"a loader".to_vec())];
        let inside = entries(&layer(&Image { libraries: &libraries, ..IMAGE }).expect("a layer"));
        assert_eq!(inside["lib64/loader.so"], (b"a loader".to_vec(), 0, 0o755, 0));
    }

    #[test]
    fn the_same_executable_gives_the_same_bytes_at_any_time() {
        let archive = |binary: &[u8]| archive(&Image { binary, ..IMAGE }).expect("an archive");
        assert_eq!(archive(BINARY), archive(BINARY));
        assert_ne!(archive(BINARY), archive(b"another"));
        assert!(made().values().all(|(_, _, _, time)| *time == 0));
        assert!(entries(&layer(&IMAGE).expect("a layer")).values().all(|(_, _, _, time)| *time == 0));
    }
}
