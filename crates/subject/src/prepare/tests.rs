//! A study's subject before anything is started.

use proofload_store::schema::{self, SubjectKind};
use std::path::Path;

use super::*;

fn catalogue() -> Catalogue {
    Catalogue::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects")).unwrap()
}

fn folder(name: &str, with: &[(&str, &str)]) -> SubjectSpec {
    let with = with.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    SubjectSpec::Catalogue { folder: name.into(), with }
}

fn resolve(spec: &SubjectSpec) -> Result<schema::Variant, String> {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(&directory.path().join("cache")).unwrap();
    let prepared = Prepared::resolve("it", spec, &catalogue(), &cache).map_err(|why| why.to_string())?;
    let mut variant = schema::Variant::default();
    prepared.describe(&mut variant);
    Ok(variant)
}

#[test]
fn an_option_that_is_not_given_is_left_out_of_the_command() {
    let plain = resolve(&folder("reference", &[])).unwrap();
    assert_eq!(
        plain.command[1..],
        [
            "reference-server",
            "--bind",
            "{address}",
            "--port",
            "{port}",
            "--workers",
            "1",
            "--seed",
            "1",
            "--service",
            "none",
            "--size",
            "1024"
        ]
    );
    let faulty =
        resolve(&folder("reference", &[("faults", "status_500=1%"), ("null", "true"), ("service", "")]))
            .unwrap();
    assert_eq!(faulty.command[10..], ["--size", "1024", "--faults", "status_500=1%", "--null"]);
    assert_eq!(faulty.kind, SubjectKind::Catalogue);
    assert_eq!(plain.digests["proofload"].len(), 64);
}

#[test]
fn a_parameter_that_does_not_fit_is_refused_with_what_would() {
    let refused = |with| resolve(&folder("tomcat", with)).unwrap_err();
    let told = refused(&[("connector", "aio")]);
    assert!(told.contains("write bio, nio, nio2, apr, "), "{told}");
    let told = refused(&[("connector", "apr"), ("version", "11.0.21")]);
    assert!(told.contains("connector=apr is not applicable with version=11.0.21"), "{told}");
    let told = refused(&[("connector", "bio")]);
    assert!(told.contains("write version: 6.0.53 | 7.0.109"), "{told}");
    let comet = [("handler", "comet"), ("version", "7.0.109"), ("connector", "bio")];
    assert!(refused(&comet).contains("write connector: nio | apr"));
    assert!(refused(&[("pools", "two"), ("version", "6.0.53")]).contains("no asynchronous servlets"));
    let told = refused(&[("virtual_threads", "true")]);
    assert!(told.contains("write jdk: 21"), "{told}");
    assert!(refused(&[("conector", "nio")]).contains("connector"));
    assert!(refused(&[("heap", "lots")]).contains("256m"));
    assert!(refused(&[("max_threads", "3")]).contains("4 to 10000"));
    let told = resolve(&folder("tomkat", &[])).unwrap_err();
    assert!(told.contains("reference, ") && told.contains(", tomcat, tomcat-full"), "{told}");
}

#[test]
fn a_jdk_that_is_not_there_is_named_with_a_remedy() {
    let refused = resolve(&folder("tomcat", &[("jdk", "99")])).unwrap_err();
    assert!(refused.contains("JDK 99") && refused.contains("apt install"), "{refused}");
}

#[test]
fn a_command_is_taken_as_it_is_and_its_program_digested() {
    let spec = SubjectSpec::Command {
        args: vec!["/proc/self/exe".into(), "--listen={port}".into(), "{\"json\": 1}".into()],
        port: None,
        env: BTreeMap::new(),
        directory: None,
        ready_within_ns: 1,
        memory_max_bytes: None,
    };
    let variant = resolve(&spec).unwrap();
    assert_eq!(variant.command, ["/proc/self/exe", "--listen={port}", "{\"json\": 1}"]);
    assert_eq!(variant.digests["/proc/self/exe"].len(), 64);
    assert_eq!(variant.kind, SubjectKind::Command);
}

#[test]
fn a_url_has_no_command() {
    let spec = SubjectSpec::Url {
        address: std::net::SocketAddr::from(([127, 0, 0, 1], 8080)).into(),
        authority: "localhost:8080".into(),
    };
    let variant = resolve(&spec).unwrap();
    assert_eq!((variant.kind.name(), variant.command.len()), ("url", 0));
    assert!(variant.description.contains("localhost:8080"));
}

/// A folder that needs a JDK and one archive, without running Maven.
#[test]
fn an_archive_that_was_changed_in_the_cache_is_refused_before_a_start() {
    if jdk::find_all().iter().all(|jdk| !jdk.has_compiler) {
        eprintln!("skipped, because no JDK is installed");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(&directory.path().join("cache")).unwrap();
    let major = jdk::find_all().iter().rfind(|jdk| jdk.has_compiler).unwrap().major;
    let subject = directory.path().join("subjects/small");
    fs::create_dir_all(&subject).unwrap();
    let archive = directory.path().join("a.jar");
    fs::write(&archive, "an archive").unwrap();
    let digest = digest_of(&archive).unwrap();
    fs::write(subject.join("lock"), format!("g:a:1 a.jar {digest}\n")).unwrap();
    let yaml = format!(
        "description: small\nneeds: {{ jdk: \"{major}\", maven: [\"g:a:1\"] }}\nstart: [[\"{{java}}\", -cp, \"{{class_path}}\"]]\n\
         ready: {{ within: 1s }}\n"
    );
    fs::write(subject.join("subject.yaml"), yaml).unwrap();
    let cached = cache.file(&digest, "a.jar");
    fs::create_dir_all(cached.parent().unwrap()).unwrap();
    fs::copy(&archive, &cached).unwrap();

    let catalogue = Catalogue::read(&directory.path().join("subjects")).unwrap();
    let spec = folder("small", &[]);
    let prepare = || Prepared::prepare("it", &spec, &catalogue, &cache, &|_| panic!("nothing takes long"));
    let prepared = prepare().unwrap();
    prepared.verify().unwrap();
    fs::write(&cached, "another archive").unwrap();
    let refused = prepared.verify().unwrap_err().to_string();
    assert!(refused.contains("a.jar") && refused.contains(&digest) && refused.contains("lock"), "{refused}");
    assert!(matches!(prepare(), Err(SubjectError::Mismatch { .. })));
}

fn tomcats(connectors: &[&str]) -> Vec<SubjectSpec> {
    connectors.iter().map(|connector| folder("tomcat", &[("connector", connector)])).collect()
}

#[test]
fn variants_that_differ_in_the_shared_parameter_alone_become_one_start() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(&directory.path().join("cache")).unwrap();
    let share = |specs: &[SubjectSpec]| Prepared::resolve_shared("it", specs, &catalogue(), &cache);
    let shared = share(&tomcats(&["nio", "nio2"])).unwrap();
    let Origin::Program(program) = &shared.origin else { panic!("no program") };
    assert_eq!(program.endpoints, ["nio", "nio2"]);
    assert!(program.steps[0].args.contains(&"{endpoints}".to_string()));
    assert!(shared.description.contains("connector nio+nio2"), "{}", shared.description);

    let shared = share(&tomcats(&["nio", "ajp-nio"])).unwrap();
    let Origin::Program(program) = &shared.origin else { panic!("no program") };
    let asked = [0, 1, 2].map(|port| program.steps[0].ready_path(port));
    assert_eq!(asked, [Some("/echo"), None, None], "HTTP is asked, AJP is not");

    let refused = |specs: &[SubjectSpec]| share(specs).unwrap_err().to_string();
    let heaps = [folder("tomcat", &[]), folder("tomcat", &[("connector", "nio2"), ("heap", "1g")])];
    assert!(refused(&heaps).contains("differ in connector alone"));
    assert!(refused(&tomcats(&["nio", "nio"])).contains("differ in connector alone"));
    assert!(refused(&[folder("reference", &[])]).contains("declares nothing"));
    let mut old = tomcats(&["nio", "apr"]);
    for spec in &mut old {
        let SubjectSpec::Catalogue { with, .. } = spec else { unreachable!() };
        with.insert("version".into(), "11.0.21".into());
    }
    assert!(refused(&old).contains("connector=apr is not applicable"));
}

#[test]
fn what_is_missing_offline_is_listed_before_anything_is_tried() {
    if jdk::find_all().iter().all(|jdk| jdk.major != 17 || !jdk.has_compiler) {
        eprintln!("skipped, because no JDK 17 is installed");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(&directory.path().join("cache")).unwrap().offline(true);
    let spec = folder("tomcat", &[("connector", "apr")]);
    let never = |_: &str| panic!("nothing is fetched");
    let error = Prepared::prepare("it", &spec, &catalogue(), &cache, &never).unwrap_err();
    let SubjectError::Offline { missing, .. } = &error else { panic!("{error}") };
    assert!(missing.iter().any(|name| name.contains("tomcat-embed-core:9.0.110")), "{missing:?}");
    assert!(missing.iter().any(|name| name.contains("debian:libtcnative-1:libapr1:")), "{missing:?}");
    assert!(error.to_string().contains("run once without --offline"));
}

#[test]
fn flags_of_a_jvm_are_words_and_nothing_else() {
    let with = |flags: &str| resolve(&folder("tomcat", &[("jvm_flags", flags)]));
    let command = with(" -Xss512k  -XX:NewRatio=3 ").unwrap().command;
    let at = command.iter().position(|word| word == "-Xss512k").unwrap();
    assert_eq!(command[at + 1], "-XX:NewRatio=3");
    assert!(command.iter().position(|word| word == "-cp").unwrap() > at, "{command:?}");
    let plain = with("").unwrap().command;
    assert_eq!(plain.len() + 2, command.len(), "none is no empty argument: {plain:?}");
    for wrong in ["-jar", "-Xss1m @file", "-X", "-cp x", "TomcatSubject"] {
        let told = with(wrong).unwrap_err();
        assert!(told.contains("does not begin with -X, -D"), "{wrong}: {told}");
    }
}

#[test]
fn an_archive_without_its_version_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(&directory.path().join("cache")).unwrap();
    let subject = directory.path().join("subjects/some");
    fs::create_dir_all(&subject).unwrap();
    fs::write(subject.join("lock"), "").unwrap();
    let major = jdk::find_all().iter().rfind(|jdk| jdk.has_compiler).map_or(17, |jdk| jdk.major);
    let yaml = format!(
        "description: some\nneeds: {{ jdk: \"{major}\", maven: [\"g:a:{{added}}\"] }}\n\
         parameters: [{{ name: added, kind: text, default: '', doc: Which. }}]\n\
         start: [[./it]]\nready: {{ within: 1s }}\n"
    );
    fs::write(subject.join("subject.yaml"), yaml).unwrap();
    let catalogue = Catalogue::read(&directory.path().join("subjects")).unwrap();
    let with = |given: &[(&str, &str)]| Prepared::resolve("it", &folder("some", given), &catalogue, &cache);
    match with(&[]) {
        Err(SubjectError::NoJdk { .. }) => eprintln!("skipped, because no JDK is installed"),
        plain => {
            plain.unwrap();
            assert!(with(&[("added", "1")]).unwrap_err().to_string().contains("g:a:1"));
        }
    }
}

/// The parameter that is shared has in each text the level of its endpoint.
#[test]
fn what_is_written_for_each_endpoint_has_its_own_level_and_port() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(&directory.path().join("cache")).unwrap();
    let subject = directory.path().join("subjects/many");
    fs::create_dir_all(&subject).unwrap();
    fs::write(subject.join("conf"), "head {all}").unwrap();
    let yaml = "description: many\nshares: mode\n\
                parameters:\n  - { name: mode, kind: { choice: [a, b] }, default: a, doc: How. }\n  \
                - { name: wait, kind: duration, default: 1500ms, doc: How long. }\n\
                derived: [{ name: big, cases: [{ when: { mode: [b] }, is: B }, { is: small }] }]\n\
                each_endpoint: [{ name: all, is: \"{mode}={big}@{port} {wait_ms} {wait_ns}\" }]\n\
                files: { conf: conf }\nstart: [[./it]]\nready: { within: 1s }\n";
    fs::write(subject.join("subject.yaml"), yaml).unwrap();
    let catalogue = Catalogue::read(&directory.path().join("subjects")).unwrap();
    let text_of = |prepared: Prepared| {
        let Origin::Program(program) = prepared.origin else { panic!("no program") };
        program.files[0].1.clone()
    };
    let specs = ["b", "a"].map(|mode| folder("many", &[("mode", mode)]));
    let shared = Prepared::resolve_shared("it", &specs, &catalogue, &cache).unwrap();
    assert_eq!(
        text_of(shared),
        "head b=B@{endpoint_port_0} 1500 1500000000\na=small@{endpoint_port_1} 1500 1500000000"
    );
    let alone = Prepared::resolve("it", &specs[0], &catalogue, &cache).unwrap();
    assert_eq!(text_of(alone), "head b=B@{endpoint_port_0} 1500 1500000000");
}
