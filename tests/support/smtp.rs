//! A mail server that accepts, refuses or disconnects, as the test determines.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// The reaction of the server to all later mails.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Does {
    Takes,
    /// Responds to the recipient with this line: `550 no such mailbox`.
    Refuses(&'static str),
    /// Responds to this command with this line: `AUTH`, `535 5.7.8 wrong password`.
    Answers(&'static str, &'static str),
    /// Stops responding after this recipient.
    HangsFor(&'static str),
    /// Reads the whole mail and disconnects without a response.
    DropsAfterData,
    Hangs,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Received {
    pub from: String,
    pub to: Vec<String>,
    /// The message as received, without the final dot.
    pub message: String,
}

impl Received {
    /// The value of a header of the message; headers of its parts do not count.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        let head = self.message.split("\r\n\r\n").next().unwrap();
        let line = head.lines().find(|line| line.starts_with(&start));
        &line.unwrap_or_else(|| panic!("no {name} in:\n{head}"))[start.len()..]
    }

    /// The token of its link. Quoted-printable breaks long lines with `=` and encodes `=` as `=3D`.
    pub(crate) fn token(&self) -> String {
        self.after("oken=").expect("a link with a token")
    }

    /// The token of the link that undoes an address change, if there is one.
    pub(crate) fn undo_token(&self) -> Option<String> {
        self.after("?undo=")
    }

    fn after(&self, key: &str) -> Option<String> {
        let text = self.message.replace("=\r\n", "").replace("=3D", "=");
        let (_, rest) = text.split_once(key)?;
        Some(rest.chars().take(43).collect())
    }
}

#[derive(Clone)]
pub(crate) struct Smtp {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    does: Does,
    received: Vec<Received>,
    recipients_named: usize,
    connections: usize,
    hello: Vec<String>,
    /// How often each recipient is still deferred.
    greylisted: HashMap<String, u32>,
}

impl Smtp {
    pub(crate) async fn start() -> Smtp {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State {
            does: Does::Takes,
            received: Vec::new(),
            recipients_named: 0,
            connections: 0,
            hello: Vec::new(),
            greylisted: HashMap::new(),
        }));
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                tokio::spawn(Conversation::run(stream, shared.clone()));
            }
        });
        Smtp { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// The address with a user and a password.
    pub(crate) fn url_with_password(&self) -> String {
        format!("smtp://site:s3cret@{}", self.address)
    }

    pub(crate) fn now(&self, does: Does) {
        self.state.lock().unwrap().does = does;
    }

    /// Defers this recipient as many times.
    pub(crate) fn greylist(&self, address: &str, times: u32) {
        let mut state = self.state.lock().unwrap();
        state.greylisted.insert(address.to_owned(), times);
    }

    /// The mails since the last call, accepted or not.
    pub(crate) fn received(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.lock().unwrap().received)
    }

    /// The number of connections since the last call.
    pub(crate) fn connections(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().connections)
    }

    /// The EHLO names of clients since the last call.
    pub(crate) fn hello(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().hello)
    }

    /// The number of recipients since the last call.
    pub(crate) fn recipients_named(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().recipients_named)
    }
}

struct Conversation {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    state: Arc<Mutex<State>>,
    mail: Received,
}

impl Conversation {
    /// The client may disconnect at any time, which ends the conversation.
    async fn run(stream: TcpStream, state: Arc<Mutex<State>>) -> Option<()> {
        let (reader, writer) = stream.into_split();
        let mut talk = Conversation {
            reader: BufReader::new(reader),
            writer,
            state,
            mail: Received::default(),
        };
        talk.say("220 sink").await?;
        loop {
            let line = talk.line().await?;
            talk.obey(line.trim_end()).await?;
        }
    }

    async fn obey(&mut self, line: &str) -> Option<()> {
        let does = self.state.lock().unwrap().does;
        let inside = |line: &str| {
            let address = line.split(['<', '>']).nth(1);
            address.unwrap_or_default().to_owned()
        };
        let verb = line.split([' ', ':']).next().unwrap_or_default();
        if verb == "RCPT" {
            self.state.lock().unwrap().recipients_named += 1;
        }
        match does {
            Does::Answers(to, answer) if to == verb => return self.say(answer).await,
            Does::HangsFor(recipient) if verb == "RCPT" && line.contains(recipient) => {
                std::future::pending::<()>().await;
            }
            _ => {}
        }
        match verb {
            "EHLO" => {
                let name = line.split(' ').nth(1).unwrap_or_default().to_owned();
                self.state.lock().unwrap().hello.push(name);
                self.say("250-sink\r\n250-8BITMIME\r\n250-AUTH PLAIN LOGIN\r\n250 SMTPUTF8")
                    .await
            }
            "AUTH" => self.say("235 welcome").await,
            "MAIL" => {
                self.mail = Received {
                    from: inside(line),
                    ..Received::default()
                };
                self.say("250 ok").await
            }
            "RCPT" if self.is_greylisted(&inside(line)) => self.say("450 come back later").await,
            "RCPT" => match does {
                Does::Hangs => std::future::pending().await,
                Does::Refuses(answer) => self.say(answer).await,
                _ => {
                    self.mail.to.push(inside(line));
                    self.say("250 ok").await
                }
            },
            "DATA" => self.take(does).await,
            "QUIT" => {
                self.say("221 bye").await?;
                None
            }
            _ => self.say("250 ok").await,
        }
    }

    fn is_greylisted(&self, address: &str) -> bool {
        let mut state = self.state.lock().unwrap();
        match state.greylisted.get_mut(address) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    async fn take(&mut self, does: Does) -> Option<()> {
        self.say("354 go on").await?;
        loop {
            let line = self.line().await?;
            if line == ".\r\n" {
                break;
            }
            let text = line.strip_prefix('.').unwrap_or(&line);
            self.mail.message.push_str(text);
        }
        let mail = std::mem::take(&mut self.mail);
        self.state.lock().unwrap().received.push(mail);
        match does {
            Does::DropsAfterData => None,
            _ => self.say("250 taken").await,
        }
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).await.ok()?;
        (read > 0).then_some(line)
    }

    async fn say(&mut self, text: &str) -> Option<()> {
        let line = format!("{text}\r\n");
        self.writer.write_all(line.as_bytes()).await.ok()
    }
}
