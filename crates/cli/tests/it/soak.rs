//! A soak of a real JVM that leaks, and of one that does not, from the study to the report.

use crate::support::{executable, json, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// A server that keeps the given number of bytes of each request for ever, in the heap or beside it.
const SERVER: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

public class Leaks {
    static final List<Object> kept = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        String where = args[0];
        int bytes = Integer.parseInt(args[1]);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]));
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(2));
        byte[] body = new byte[100];
        server.createContext("/", exchange -> {
            byte[] garbage = new byte[20_000];
            synchronized (kept) {
                if (where.equals("heap")) kept.add(new byte[bytes + (garbage[0] & 1)]);
                if (where.equals("beside")) {
                    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
                    while (buffer.hasRemaining()) buffer.put((byte) 1);
                    kept.add(buffer);
                }
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
"#;

/// Bytes of each request that leak.
const LEAK: f64 = 8_192.0;

/// Soaks a JVM for each place where it may keep something.
fn run(dir: &Path, places: &str, soak: &str) -> Output {
    std::fs::write(dir.join("Leaks.java"), SERVER).expect("written");
    let source = dir.join("Leaks.java");
    let source = source.to_str().expect("UTF-8");
    let study = format!(
        "study: soaks
question: Which of them leaks?
subjects:
  server:
    command: [java, -Xmx256m, -XX:+UseSerialGC, -XX:MaxDirectMemorySize=512m, {source:?}, '{{where}}', '8192', '{{port}}']
    vary: {{ where: [{places}] }}
workload: {{ page: {{ get: / }} }}
load: {{ open: {{ rate: 200/s, connections: 8, soak: {soak} }} }}
claims: {{ no errors: 'errors(heap) == 0' }}
"
    );
    let file = dir.join("soaks.yaml");
    std::fs::write(&file, study).expect("written");
    let mut command = executable(&["run", file.to_str().expect("UTF-8"), "--smoke", "--format", "json"]);
    command.current_dir(dir).output().expect("the executable runs")
}

fn row<'a>(result: &'a Value, variant: &str, measure: &str) -> &'a Value {
    let rows = result["trends"].as_array().expect("trends");
    let is_it = |row: &&Value| row["variant"] == variant && row["measure"] == measure;
    rows.iter().find(is_it).unwrap_or_else(|| panic!("no {measure} of {variant} in {rows:#?}"))
}

#[test]
#[ignore = "truth: soaks three JVMs for a minute each"]
fn truth_12_live_a_jvm_that_leaks_is_told_from_one_that_does_not() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), "heap, beside, nowhere", "60s, checkpoint: 2s");
    let result = json(&output);
    assert!(result["trends"].is_array(), "{}", text(&output.stderr));
    let [heap, beside, nowhere] =
        ["heap", "beside", "nowhere"].map(|variant| row(&result, variant, "live_set"));
    let each = heap["per_exchange"]["point"].as_f64().unwrap_or(f64::NAN);
    let resident = row(&result, "beside", "rss");
    let outside = resident["per_exchange"]["point"].as_f64().unwrap_or(f64::NAN);
    // The objects that own the buffers are in the heap.
    let owners = beside["per_exchange"]["point"].as_f64().unwrap_or(f64::NAN);
    let megabytes = |key: &str| nowhere["per_hour"][key].as_f64().unwrap_or(f64::NAN) / 1e6;
    println!(
        "truth 12 live | three JVMs: 8,192 B/request kept in the heap, in direct buffers, not at all | leak ± 10 %; growth of \
         resident memory outside the heap ± 20 %; no leak | heap: {} with {each:.0} B/request; direct: live set {} \
         with {owners:.0} B/request, resident memory {} with {outside:.0} B/request; none: {} at {:.1} to {:.1} MB/h",
        heap["verdict"],
        beside["verdict"],
        resident["verdict"],
        nowhere["verdict"],
        megabytes("low"),
        megabytes("high")
    );
    assert_eq!(heap["verdict"], "leak", "{heap:#}");
    // Each array has a head of 16 bytes, and a place in the list.
    assert!((each / LEAK - 1.0).abs() < 0.1, "{each}");
    let sentences = heap["sentences"].to_string();
    assert!(sentences.contains("most grew: [B +"), "{sentences}");
    assert!(owners < 0.05 * LEAK, "{beside:#}");
    assert!(resident["sentences"].to_string().contains("alarm: the live set"), "{resident:#}");
    assert_eq!(resident["verdict"], "growth", "{resident:#}");
    assert!((outside / LEAK - 1.0).abs() < 0.2, "{outside}");
    assert_ne!(nowhere["verdict"], "leak", "{nowhere:#}");
    assert!(result["limits"].to_string().contains("full collections were forced"), "{}", result["limits"]);
}

#[test]
#[ignore = "full: soaks two JVMs"]
fn a_jvm_that_leaks_shows_within_seconds() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), "heap, nowhere", "20s, checkpoint: 1s");
    let result = json(&output);
    assert!(result["trends"].is_array(), "{}", text(&output.stderr));
    let [heap, nowhere] = ["heap", "nowhere"].map(|variant| row(&result, variant, "live_set"));
    assert_eq!(heap["verdict"], "leak", "{heap:#}");
    assert_ne!(nowhere["verdict"], "leak", "{nowhere:#}");
    assert!(heap["sentences"].to_string().contains("most grew: [B +"), "{heap:#}");
}
