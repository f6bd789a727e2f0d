//! Generates load: a number of connections, each of which sends its next request when the last response has arrived.
//!
//! The HTTP is written by hand, because the client shares the machine with the server that it measures.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The pause of a connection after a refusal (503).
const AFTER_REFUSAL: Duration = Duration::from_millis(50);

pub(crate) struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub(crate) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.head.split("\r\n").filter_map(move |line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> std::io::Result<Connection> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let buffer = Vec::with_capacity(4096);
        Ok(Connection { stream, buffer })
    }

    pub(crate) async fn send(&mut self, request: &[u8]) -> std::io::Result<Answer> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head_end = loop {
            self.read_more().await?;
            if let Some(at) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
        };
        let head = String::from_utf8_lossy(&self.buffer[..head_end]).into_owned();
        let mut answer = Answer {
            status: head
                .get(9..12)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            head,
            body: Vec::new(),
        };
        answer.body = self.read_body(head_end + 4, &answer).await?;
        Ok(answer)
    }

    async fn read_body(&mut self, start: usize, answer: &Answer) -> std::io::Result<Vec<u8>> {
        if let Some(length) = answer.headers("content-length").next() {
            let end = start + length.parse::<usize>().expect("a length");
            while self.buffer.len() < end {
                self.read_more().await?;
            }
        } else if let Some(coding) = answer.headers("transfer-encoding").next() {
            assert_eq!(coding, "chunked");
            loop {
                if let Some(body) = decode_chunked(&self.buffer[start..]) {
                    return Ok(body);
                }
                self.read_more().await?;
            }
        }
        Ok(self.buffer[start..].to_vec())
    }

    async fn read_more(&mut self) -> std::io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// Joins a chunked body (RFC 9112, section 7.1) once it is complete. Without trailers: no server here sends any.
fn decode_chunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..line]).expect("a chunk's size");
        let size = usize::from_str_radix(size, 16).expect("a chunk's size");
        let chunk = rest.get(line + 2..line + 2 + size + 2)?;
        body.extend_from_slice(&chunk[..size]);
        if size == 0 {
            return Some(body);
        }
        rest = &rest[line + 2 + size + 2..];
    }
}

/// The result of a load: the duration of each response, by status.
#[derive(Default)]
pub(crate) struct Outcome {
    times: BTreeMap<u16, Vec<Duration>>,
    pub duration: Duration,
}

impl Outcome {
    pub(crate) fn count(&self, status: u16) -> usize {
        self.times.get(&status).map_or(0, Vec::len)
    }

    pub(crate) fn rate(&self, status: u16) -> f64 {
        self.count(status) as f64 / self.duration.as_secs_f64()
    }

    /// The quantile `share` of the durations of a status.
    pub(crate) fn quantile(&self, status: u16, share: f64) -> Duration {
        let mut times = self.times.get(&status).cloned().unwrap_or_default();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        times.get(at).copied().unwrap_or_default()
    }

    /// Fails if the server returned any other status than these.
    pub(crate) fn expect_statuses(self, expected: &[u16]) -> Outcome {
        let unexpected: Vec<_> = self
            .times
            .keys()
            .filter(|s| !expected.contains(s))
            .collect();
        assert!(unexpected.is_empty(), "unexpected answers: {unexpected:?}");
        self
    }
}

/// Generates load for this time. `request` gets the numbers of the connection and of its request.
pub(crate) async fn load(
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    request: impl Fn(usize, usize) -> Vec<u8> + Clone + 'static,
) -> Outcome {
    load_with_pauses(address, connections, duration, Duration::ZERO, request).await
}

/// Like [`load`], with a load core that never sleeps. If a response takes a few microseconds, waking a sleeping core
/// takes as long, and a slower server would pay for it more often. Real clients are other machines.
pub(crate) async fn load_awake(
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    request: impl Fn(usize, usize) -> Vec<u8> + Clone + 'static,
) -> Outcome {
    let awake = async {
        loop {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        outcome = load(address, connections, duration, request) => outcome,
        () = awake => unreachable!("it has no end"),
    }
}

/// Like [`load`], with a pause after each response.
pub(crate) async fn load_with_pauses(
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    pause: Duration,
    request: impl Fn(usize, usize) -> Vec<u8> + Clone + 'static,
) -> Outcome {
    let step = async move |open: &mut Connection, connection: usize, number: usize| {
        let answer = open.send(&request(connection, number)).await;
        answer.expect("an answer").status
    };
    load_in_steps(address, connections, duration, pause, step).await
}

/// Like [`load`], for steps of several requests. `step` gets the numbers of the connection and of its step, and returns
/// the status of its last response.
pub(crate) async fn load_in_steps(
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    pause: Duration,
    step: impl AsyncFn(&mut Connection, usize, usize) -> u16 + Clone + 'static,
) -> Outcome {
    let begun = Instant::now();
    let local = tokio::task::LocalSet::new();
    let tasks: Vec<_> = (0..connections)
        .map(|connection| {
            let step = step.clone();
            local.spawn_local(async move {
                let mut times: Vec<(u16, Duration)> = Vec::new();
                let mut open = Connection::open(address).await.expect("a connection");
                for number in 0.. {
                    if begun.elapsed() >= duration {
                        break;
                    }
                    let sent_at = Instant::now();
                    let status = step(&mut open, connection, number).await;
                    times.push((status, sent_at.elapsed()));
                    let pause = if status == 503 { AFTER_REFUSAL } else { pause };
                    if !pause.is_zero() {
                        tokio::time::sleep(pause).await;
                    }
                }
                times
            })
        })
        .collect();
    let mut outcome = Outcome::default();
    local
        .run_until(async {
            for task in tasks {
                for (status, time) in task.await.expect("a task of the load") {
                    outcome.times.entry(status).or_default().push(time);
                }
            }
        })
        .await;
    outcome.duration = begun.elapsed();
    outcome
}
