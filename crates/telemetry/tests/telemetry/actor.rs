//! The subject: reads its tasks from its input, line by line, and reports each when it is done.

use super::serve;
use std::io::{BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

pub const CHILD: &str = "PROOFLOAD_TEST_TELEMETRY";
/// Bytes of what the relay passes on, and of what it passes back.
pub const QUESTION: usize = 200;
pub const ANSWER: usize = 1_000;

#[test]
fn the_subject_of_the_other_tests() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    println!("=> ready");
    let mut kept = Kept::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        println!("=> {}", kept.obey(&words));
    }
}

/// Resources that must stay alive.
#[derive(Default)]
struct Kept {
    files: Vec<std::fs::File>,
    memory: Vec<Vec<u8>>,
    listeners: Vec<TcpListener>,
    streams: Vec<TcpStream>,
}

impl Kept {
    fn obey(&mut self, words: &[&str]) -> String {
        let number = || words[1].parse::<usize>().unwrap();
        match words[0] {
            "burn" => burn(number() as u64 * 1_000_000),
            "open" => {
                self.files.extend((0..number()).map(|_| std::fs::File::open("/dev/null").unwrap()));
                let listener = TcpListener::bind("127.0.0.1:0").unwrap();
                self.streams.push(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
                self.streams.push(listener.accept().unwrap().0);
                self.listeners.push(listener);
            }
            "grow" => self.memory.push(vec![1; number() << 20]),
            "write" => {
                let mut file = std::fs::File::create(words[2]).unwrap();
                file.write_all(&vec![1; number() << 20]).unwrap();
                file.sync_all().unwrap();
            }
            "hang" => {
                let listener = TcpListener::bind("127.0.0.1:0").unwrap();
                // A second call changes the length of the queue.
                rustix::net::listen(&listener, number() as i32).unwrap();
                let port = listener.local_addr().unwrap().port();
                self.listeners.push(listener);
                return port.to_string();
            }
            "relay" => return relay(words[1] == "kept"),
            other => panic!("{other}"),
        }
        "done".to_string()
    }
}

/// Uses a CPU for so long, in a thread of its own.
fn burn(cpu_ns: u64) {
    let (done, is_done) = mpsc::channel();
    let burner = std::thread::Builder::new().name("burner-1".to_string()).spawn(move || {
        let cpu = || {
            let now = rustix::time::clock_gettime(rustix::thread::ClockId::ThreadCPUTime);
            now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
        };
        while cpu() < cpu_ns {
            std::hint::spin_loop();
        }
        done.send(()).unwrap();
        std::thread::park();
    });
    // It stays when it is done: threads that ended are not among the threads.
    burner.unwrap();
    is_done.recv().unwrap();
}

/// A front that asks a back end for every question, over one connection or over one for each. Returns their ports.
fn relay(is_kept: bool) -> String {
    let (front, back) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let ports = (front.local_addr().unwrap().port(), back.local_addr().unwrap().port());
    std::thread::spawn(move || {
        serve(&back, |mut stream| {
            while stream.read_exact(&mut [0; QUESTION]).is_ok() {
                if stream.write_all(&[2; ANSWER]).is_err() {
                    return;
                }
            }
        });
    });
    let (ready, is_ready) = mpsc::channel();
    std::thread::spawn(move || {
        let dial = || TcpStream::connect(("127.0.0.1", ports.1)).unwrap();
        let mut kept = is_kept.then(dial);
        ready.send(()).unwrap();
        serve(&front, |mut stream| {
            let mut question = [0; QUESTION];
            while stream.read_exact(&mut question).is_ok() {
                let mut own = None;
                let behind = kept.as_mut().unwrap_or_else(|| own.insert(dial()));
                let mut answer = [0; ANSWER];
                behind.write_all(&question).and_then(|()| behind.read_exact(&mut answer)).unwrap();
                if stream.write_all(&answer).is_err() {
                    return;
                }
            }
        });
    });
    is_ready.recv().unwrap();
    format!("{} {}", ports.0, ports.1)
}
