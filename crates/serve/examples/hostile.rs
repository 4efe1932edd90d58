//! Writes figures of runs with strangers' names to a folder, in each format, for programs of others to read:
//! `NN.om`, `NN.txt`, `NN.pb`, and in `NN.name` what they should find.

use proofload_report::escape;
use proofload_serve::metrics::{Doing, Format, Moment, Own, State, otlp};
use proofload_store::schema::{Plan, Point, Slice};
use proofload_testkit::HOSTILE;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("usage: hostile FOLDER"));
    let own = Own { cpu_ns: 1, memory_bytes: Some(1), exporters: Vec::new() };
    for (number, name) in HOSTILE.iter().enumerate() {
        let mut state = State::default();
        state.begun(&Plan { study: name.to_string(), ..Plan::default() }, &[], 0);
        let measured = Point {
            variant: name.to_string(),
            point: name.to_string(),
            stream: name.to_string(),
            outcomes: [("answered".to_string(), 7)].into(),
            ..Point::default()
        };
        state.slice(&Slice { measured, ..Slice::default() });
        state.ends(Doing::Finished);
        let figures = state.figures(&own);
        let write =
            |ending: &str, bytes: &[u8]| std::fs::write(folder.join(format!("{number:02}.{ending}")), bytes);
        write("name", escape::line(name).as_bytes())?;
        write("pb", &otlp(&figures, &[], Moment { began_unix_ns: 1, unix_ns: 2 }))?;
        write("om", figures.clone().text(Format::OpenMetrics).as_bytes())?;
        write("txt", figures.text(Format::Text).as_bytes())?;
    }
    Ok(())
}
