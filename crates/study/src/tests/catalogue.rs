//! A small catalogue and a small study; tests of plans include this file too.

use super::{Declarations, Parameter, ParameterKind};
use proofload_facts::{Expected, Mistake};

pub const SMALL: &str = "\
study: small
question: Is NIO2 faster?
subjects:
  server:
    use: tomcat
    vary: { connector: [nio, nio2] }
workload:
  page: { get: /echo, expect: { status: 200, bytes: 1024 } }
load:
  closed: { connections: 64 }
claims:
  faster: throughput(nio2) > throughput(nio)
";

/// A catalogue like the real one, but in memory: the corpus tests the checks, not the folders.
pub struct TestCatalogue;

impl Declarations for TestCatalogue {
    fn parameters(&self, folder: &str) -> Option<Vec<Parameter>> {
        let parameter = |name: &str, kind: ParameterKind, default: Option<&str>| Parameter {
            name: name.to_string(),
            kind,
            default: default.map(str::to_string),
            doc: format!("what {name} means"),
        };
        let choice =
            |words: &[&str]| ParameterKind::Choice(words.iter().map(|word| word.to_string()).collect());
        match folder {
            "tomcat" => Some(vec![
                parameter("version", choice(&["9.0.110"]), Some("9.0.110")),
                parameter("connector", choice(&["nio", "nio2"]), Some("nio")),
                parameter("max_threads", ParameterKind::Integer { min: 1, max: 10_000 }, Some("200")),
                parameter("heap", ParameterKind::Memory, Some("256m")),
                parameter("jdk", choice(&["17", "21"]), Some("17")),
            ]),
            "reference" => Some(vec![
                parameter("service", ParameterKind::Text, Some("none")),
                parameter("queue", choice(&["true", "false"]), Some("false")),
                parameter("linger", ParameterKind::Duration, Some("0s")),
                parameter("size", ParameterKind::Text, None),
            ]),
            _ => None,
        }
    }

    fn needs_jdk(&self, folder: &str) -> bool {
        folder == "tomcat"
    }

    fn shares(&self, folder: &str) -> Option<String> {
        (folder == "tomcat").then(|| "connector".to_string())
    }

    fn folders(&self) -> Vec<String> {
        vec!["reference".to_string(), "tomcat".to_string()]
    }

    fn check(&self, folder: &str, parameter: &str, value: &str) -> Result<(), Mistake> {
        match (folder, parameter, value) {
            ("reference", "service", "slow") => {
                Err(Mistake::not("slow", Expected::Distribution, "const:2ms"))
            }
            _ => Ok(()),
        }
    }
}
