//! A server that misbehaves by a seed, in a process of its own, and counts what it took and what it gave.

use anyhow::{Context, bail};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Response time-out of the generator.
pub const TIMEOUT: Duration = Duration::from_millis(500);
/// Bytes of an answer without an end, at most.
const ENDLESS_BYTES: usize = 32 << 20;
/// Longest time of a write.
const WITHIN: Duration = Duration::from_secs(5);
const HUGE: usize = 8 << 20;

/// Protocol of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Http,
    Ajp,
    Dubbo,
    Rmi,
    Hessian,
    JsonRpc,
}

impl Protocol {
    pub const ALL: [Protocol; 6] =
        [Protocol::Http, Protocol::Ajp, Protocol::Dubbo, Protocol::Rmi, Protocol::Hessian, Protocol::JsonRpc];

    pub fn name(self) -> &'static str {
        match self {
            Protocol::Http => "http",
            Protocol::Ajp => "ajp",
            Protocol::Dubbo => "dubbo",
            Protocol::Rmi => "rmi",
            Protocol::Hessian => "hessian",
            Protocol::JsonRpc => "jsonrpc",
        }
    }

    /// Address and method for the generator.
    pub fn arguments(self, port: u16) -> Vec<String> {
        let (scheme, path) = match self {
            Protocol::Http => ("http", ""),
            Protocol::Ajp => ("ajp", ""),
            Protocol::Dubbo => ("dubbo", "a.B?method=m"),
            Protocol::Rmi => ("rmi", "echo?method=echo"),
            Protocol::Hessian => ("hessian+http", "h?method=m"),
            Protocol::JsonRpc => ("jsonrpc+http", "j?method=m"),
        };
        let url = format!("{scheme}://127.0.0.1:{port}/{path}");
        let arg: &[&str] = if path.is_empty() { &[] } else { &["--arg", "x"] };
        std::iter::once(url).chain(arg.iter().map(|word| (*word).to_string())).collect()
    }
}

#[derive(Debug, Default)]
struct Counts {
    connections: AtomicU64,
    requests: AtomicU64,
    /// Answered at once, and as it should be.
    plain: AtomicU64,
    /// Written to their ends, and right or perhaps right.
    whole: AtomicU64,
}

/// Serves until its standard input ends, then prints its counts. `PROTOCOL SEED` or `PROTOCOL well`.
pub fn serve(args: &[String]) -> anyhow::Result<()> {
    let [protocol, seed] = args else { bail!("hostile-peer PROTOCOL SEED") };
    let protocol = Protocol::ALL.into_iter().find(|known| known.name() == protocol).context("a protocol")?;
    let seed = if seed == "well" { None } else { Some(seed.parse::<u64>()?) };
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    println!("{port}");
    let counts = Arc::new(Counts::default());
    let ours = Arc::clone(&counts);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let counts = Arc::clone(&ours);
            counts.connections.fetch_add(1, Relaxed);
            let random =
                seed.map(|seed| seed.wrapping_add(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            thread::spawn(move || {
                // What a peer does to us is its affair.
                let _ended =
                    Line { stream, protocol, port, counts: &counts, random, input: Vec::new() }.serve();
            });
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new())?;
    let of = |count: &AtomicU64| count.load(Relaxed);
    let Counts { connections, requests, plain, whole } = &*counts;
    println!("{} {} {} {}", of(connections), of(requests), of(plain), of(whole));
    Ok(())
}

/// A connection.
struct Line<'a> {
    stream: TcpStream,
    protocol: Protocol,
    port: u16,
    counts: &'a Counts,
    /// Nothing of a server that behaves.
    random: Option<u64>,
    input: Vec<u8>,
}

impl Line<'_> {
    fn serve(&mut self) -> anyhow::Result<()> {
        self.stream.set_nodelay(true)?;
        self.stream.set_write_timeout(Some(WITHIN))?;
        self.stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        loop {
            let Some((request, used)) = self.request()? else {
                let mut chunk = [0; 16 << 10];
                let count = self.stream.read(&mut chunk)?;
                if count == 0 {
                    return Ok(());
                }
                self.input.extend_from_slice(&chunk[..count]);
                continue;
            };
            let request_bytes: Vec<u8> = self.input.drain(..used).collect();
            if request {
                self.counts.requests.fetch_add(1, Relaxed);
                let good = self.answer(&request_bytes);
                self.act(&good)?;
            }
        }
    }

    /// Length of the next message, and true if it is a request; other messages are answered here.
    fn request(&mut self) -> anyhow::Result<Option<(bool, usize)>> {
        let input = &self.input;
        match self.protocol {
            Protocol::Http | Protocol::Hessian | Protocol::JsonRpc => {
                let Some(head) = input.windows(4).position(|end| end == b"\r\n\r\n") else { return Ok(None) };
                let text = String::from_utf8_lossy(&input[..head]).to_ascii_lowercase();
                let length =
                    text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
                let all = head + 4 + length.unwrap_or(0);
                Ok((input.len() >= all).then_some((true, all)))
            }
            Protocol::Ajp => {
                let Some(length) = input.get(2..4) else { return Ok(None) };
                let all = 4 + usize::from(u16::from_be_bytes([length[0], length[1]]));
                if input.len() < all {
                    return Ok(None);
                }
                let is_ping = input.get(4) == Some(&10);
                if is_ping {
                    self.stream.write_all(b"AB\0\x01\x09")?;
                }
                Ok(Some((!is_ping, all)))
            }
            Protocol::Dubbo => {
                let Some(length) = input.get(12..16) else { return Ok(None) };
                let all = 16 + u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
                let is_event = input[2] & 0x20 != 0;
                Ok((input.len() >= all).then_some((!is_event, all)))
            }
            Protocol::Rmi => self.call(),
        }
    }

    /// The stream protocol: a greeting, an address that the other side has, and calls, which are at their end when as much of
    /// them came at once.
    fn call(&mut self) -> anyhow::Result<Option<(bool, usize)>> {
        const CALL: &[u8] = b"\x50\xac\xed\0\x05\x77\x22";
        const LOOKUP: &[u8] = b"\x44\x15\x4d\xc9\xd4\xe6\x3b\xdf";
        let input = &self.input;
        if input.starts_with(b"JRMI") {
            if input.len() < 7 {
                return Ok(None);
            }
            let hello = [&b"\x4e"[..], &utf("127.0.0.1"), &5_u32.to_be_bytes()].concat();
            self.stream.write_all(&hello)?;
            return Ok(Some((false, 7)));
        }
        match input.first() {
            None => Ok(None),
            // A ping.
            Some(0x52) => {
                self.stream.write_all(b"\x53")?;
                Ok(Some((false, 1)))
            }
            Some(0x50) => {
                let is_lookup = input.windows(LOOKUP.len()).any(|bytes| bytes == LOOKUP);
                if !input.starts_with(CALL) || input.len() < 41 {
                    return Ok(None);
                }
                if is_lookup {
                    let found = self.stub();
                    self.stream.write_all(&found)?;
                }
                Ok(Some((!is_lookup, input.len())))
            }
            // Its own address, with the calls behind it.
            Some(_) => match input.windows(CALL.len()).position(|bytes| bytes == CALL) {
                Some(begins) if begins > 0 => Ok(Some((false, begins))),
                _ => Ok(None),
            },
        }
    }

    /// This server is where the object is, too.
    fn stub(&self) -> Vec<u8> {
        let port = u32::from(self.port).to_be_bytes();
        let reference = [&utf("UnicastRef")[..], &utf("127.0.0.1"), &port, &[0; 8], &[0; 14], b"\0"].concat();
        let class = [&utf("java.rmi.server.RemoteObject")[..], &[0; 8], b"\x03\0\0\x78\x70"].concat();
        let object =
            [&b"\x73\x72"[..], &class, b"\x77", &[reference.len() as u8], &reference, b"\x78"].concat();
        [&b"\x51\xac\xed\0\x05\x77\x0f\x01"[..], &[0; 14], &object].concat()
    }

    /// As it should be.
    fn answer(&self, request: &[u8]) -> Vec<u8> {
        match self.protocol {
            Protocol::Http => http(b"hello"),
            Protocol::Hessian => http(b"H\x02\0R\x91"),
            Protocol::JsonRpc => {
                let text = String::from_utf8_lossy(request);
                let digits = text.rsplit("\"id\":").next().unwrap_or_default().trim_start();
                let id: String = digits.chars().take_while(char::is_ascii_digit).collect();
                http(format!("{{\"jsonrpc\":\"2.0\",\"result\":\"x\",\"id\":{id}}}").as_bytes())
            }
            Protocol::Ajp => {
                let head = b"\x04\0\xc8\0\x02OK\0\0\0";
                let body = b"\x03\0\x05hello\0";
                [ajp(head), ajp(body), ajp(b"\x05\x01")].concat()
            }
            Protocol::Dubbo => dubbo(request, b"\x91\x05hello"),
            Protocol::Rmi => [&b"\x51\xac\xed\0\x05\x77\x0f\x01"[..], &[0; 14], b"\x74\0\x01x"].concat(),
        }
    }

    /// A body, or a value, that is nothing but the beginnings of others.
    fn nested(&self, good: &[u8]) -> Vec<u8> {
        match self.protocol {
            Protocol::Http | Protocol::JsonRpc => http(&[b'['; 256 << 10]),
            Protocol::Hessian => http(&[&b"H\x02\0R"[..], &[b'W'; 256 << 10]].concat()),
            Protocol::Ajp => ajp(&[&b"\x04\0\xc8\0\x02OK\0\xff\xff"[..], &[0; 4096]].concat()),
            Protocol::Dubbo => dubbo(good, &[&b"\x91"[..], &[b'W'; 256 << 10]].concat()),
            Protocol::Rmi => {
                let array = b"\x75\x72\0\x13[Ljava.lang.Object;\x90\xce\x58\x9f\x10\x73\x29\x6c\x02\0\0\x78\x70\0\0\0\x01";
                [&good[..22], &array[..], &b"\x75\x71\0\x7e\0\0\0\0\0\x01".repeat(20_000)].concat()
            }
        }
    }

    fn huge(&self, request: &[u8]) -> Vec<u8> {
        let much = vec![b'x'; HUGE];
        match self.protocol {
            Protocol::Http | Protocol::Hessian | Protocol::JsonRpc => http(&much),
            Protocol::Ajp => {
                let chunk = ajp(&[&b"\x03\x1f\xf0"[..], &much[..0x1ff0], b"\0"].concat());
                [ajp(b"\x04\0\xc8\0\x02OK\0\0\0"), chunk.repeat(HUGE / 0x1ff0), ajp(b"\x05\x01")].concat()
            }
            Protocol::Dubbo => dubbo(request, &much),
            Protocol::Rmi => [&self.answer(request)[..22], b"\x7c\0\0\0\0\0\x80\0\0", &much].concat(),
        }
    }

    fn act(&mut self, good: &[u8]) -> anyhow::Result<()> {
        let Some(drawn) = self.draw(20) else { return self.well(good) };
        let whole = || self.counts.whole.fetch_add(1, Relaxed);
        match drawn {
            0..10 => self.well(good),
            // Truncated.
            10 | 11 => {
                let cut = self.draw(good.len() as u64).unwrap_or(0) as usize;
                self.stream.write_all(&good[..cut])?;
                self.close()
            }
            // Without an end.
            12 => {
                let head = &good[..good.len() / 2];
                self.stream.write_all(head)?;
                let (begun, noise) = (Instant::now(), self.noise(64 << 10));
                for _ in 0..ENDLESS_BYTES / noise.len() {
                    if begun.elapsed() > WITHIN {
                        break;
                    }
                    self.stream.write_all(&noise)?;
                }
                self.close()
            }
            13 => {
                let nested = self.nested(good);
                whole();
                self.stream.write_all(&nested)?;
                Ok(())
            }
            // Doubled.
            14 => {
                self.counts.whole.fetch_add(2, Relaxed);
                self.stream.write_all(&[good, good].concat())?;
                Ok(())
            }
            // Late.
            15 => {
                thread::sleep(TIMEOUT * 5 / 4);
                whole();
                self.stream.write_all(good)?;
                Ok(())
            }
            // Slow.
            16 => {
                whole();
                for byte in good.chunks(good.len().div_ceil(16)) {
                    self.stream.write_all(byte)?;
                    thread::sleep(Duration::from_millis(3));
                }
                Ok(())
            }
            17 => {
                let huge = self.huge(good);
                whole();
                self.stream.write_all(&huge)?;
                Ok(())
            }
            // Wrong at one place.
            18 => {
                let mut wrong = good.to_vec();
                let at = self.draw(good.len() as u64).unwrap_or(0) as usize;
                wrong[at] ^= 1 << self.draw(8).unwrap_or(0);
                whole();
                self.stream.write_all(&wrong)?;
                Ok(())
            }
            _ => self.close(),
        }
    }

    fn well(&mut self, good: &[u8]) -> anyhow::Result<()> {
        self.counts.plain.fetch_add(1, Relaxed);
        self.counts.whole.fetch_add(1, Relaxed);
        Ok(self.stream.write_all(good)?)
    }

    fn close(&self) -> anyhow::Result<()> {
        self.stream.shutdown(Shutdown::Both)?;
        bail!("closed")
    }

    /// SplitMix64.
    fn draw(&mut self, below: u64) -> Option<u64> {
        let state = self.random.as_mut()?;
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some((mixed ^ (mixed >> 31)) % below.max(1))
    }

    fn noise(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.draw(256).unwrap_or(0) as u8).collect()
    }
}

fn utf(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

fn http(body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

fn ajp(payload: &[u8]) -> Vec<u8> {
    [&b"AB"[..], &(payload.len() as u16).to_be_bytes(), payload].concat()
}

/// The answer to what has that number: a request, or an answer to it.
fn dubbo(to: &[u8], body: &[u8]) -> Vec<u8> {
    [&b"\xda\xbb\x02\x14"[..], &to[4..12], &(body.len() as u32).to_be_bytes(), body].concat()
}
