//! A mail server that accepts, refuses or disconnects, as the test determines.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// The reaction of the server to all later mails.
#[derive(Debug, Clone, Copy)]
pub enum Behaviour {
    Accepts,
    /// Responds to the recipient with this line: `550 no such mailbox`.
    Refuses(&'static str),
    /// Responds to this command with this line: `AUTH`, `535 5.7.8 wrong password`. `CONNECT` stands for the greeting,
    /// and `.` for the end of the message.
    RespondsTo(&'static str, &'static str),
    /// Stops responding after this recipient.
    HangsFor(&'static str),
    /// Reads the whole mail and disconnects without a response.
    DropsAfterData,
    Hangs,
}

#[derive(Debug, Clone, Default)]
pub struct Received {
    pub from: String,
    pub to: Vec<String>,
    /// The message as received, without the final dot.
    pub message: String,
}

impl Received {
    /// The value of a header of the message; headers of its parts do not count.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        let head = self.message.split("\r\n\r\n").next().unwrap();
        let line = head.lines().find(|line| line.starts_with(&start));
        &line.unwrap_or_else(|| panic!("no {name} in:\n{head}"))[start.len()..]
    }

    /// The token of its link. Quoted-printable breaks long lines with `=` and encodes `=` as `=3D`.
    pub fn token(&self) -> String {
        self.parameter("oken=").expect("a link with a token")
    }

    /// The token of the link that undoes an address change, if there is one.
    pub fn undo_token(&self) -> Option<String> {
        self.parameter("?undo=")
    }

    fn parameter(&self, key: &str) -> Option<String> {
        let text = self.message.replace("=\r\n", "").replace("=3D", "=");
        let (_, rest) = text.split_once(key)?;
        Some(rest.chars().take(43).collect())
    }
}

#[derive(Clone)]
pub struct Smtp {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    behaviour: Behaviour,
    received: Vec<Received>,
    recipient_count: usize,
    connections: usize,
    ehlo_names: Vec<String>,
    /// The number of further deferrals for each recipient.
    greylisted: HashMap<String, u32>,
}

impl Smtp {
    pub async fn start() -> Smtp {
        Smtp::start_on("127.0.0.1:0").await
    }

    pub async fn start_on(address: &str) -> Smtp {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State {
            behaviour: Behaviour::Accepts,
            received: Vec::new(),
            recipient_count: 0,
            connections: 0,
            ehlo_names: Vec::new(),
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

    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// The address with a user and a password.
    pub fn url_with_password(&self) -> String {
        format!("smtp://site:s3cret@{}", self.address)
    }

    pub fn set_behaviour(&self, behaviour: Behaviour) {
        self.state.lock().unwrap().behaviour = behaviour;
    }

    /// Defers this recipient as many times.
    pub fn greylist(&self, address: &str, times: u32) {
        let mut state = self.state.lock().unwrap();
        state.greylisted.insert(address.to_owned(), times);
    }

    /// The mails since the last call, accepted or not.
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.lock().unwrap().received)
    }

    /// Returns the recipients of the mails that arrived since the last call.
    pub fn recipients(&self) -> Vec<String> {
        self.received().into_iter().flat_map(|m| m.to).collect()
    }

    /// The number of connections since the last call.
    pub fn connections(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().connections)
    }

    /// The EHLO names of clients since the last call.
    pub fn ehlo_names(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().ehlo_names)
    }

    /// The number of recipients since the last call.
    pub fn recipient_count(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().recipient_count)
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
        let greeting = talk.response_to("CONNECT").unwrap_or("220 sink");
        talk.write_line(greeting).await?;
        loop {
            let line = talk.read_line_or_end().await?;
            talk.handle_command(line.trim_end()).await?;
        }
    }

    async fn handle_command(&mut self, line: &str) -> Option<()> {
        let behaviour = self.state.lock().unwrap().behaviour;
        let inside = |line: &str| {
            let address = line.split(['<', '>']).nth(1);
            address.unwrap_or_default().to_owned()
        };
        let verb = line.split([' ', ':']).next().unwrap_or_default();
        if verb == "RCPT" {
            self.state.lock().unwrap().recipient_count += 1;
        }
        if let Behaviour::HangsFor(recipient) = behaviour
            && verb == "RCPT"
            && line.contains(recipient)
        {
            std::future::pending::<()>().await;
        }
        // A response that accepts the recipient or the message does not replace the handling of the command.
        let response = self.response_to(verb);
        if let Some(response) = response
            && !(response.starts_with(['2', '3']) && ["MAIL", "RCPT", "DATA"].contains(&verb))
        {
            return self.write_line(response).await;
        }
        match verb {
            "EHLO" => {
                let name = line.split(' ').nth(1).unwrap_or_default().to_owned();
                self.state.lock().unwrap().ehlo_names.push(name);
                self.write_line("250-sink\r\n250-8BITMIME\r\n250-AUTH PLAIN LOGIN\r\n250 SMTPUTF8")
                    .await
            }
            "AUTH" if line == "AUTH LOGIN" => {
                for question in ["334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6"] {
                    self.write_line(question).await?;
                    self.read_line_or_end().await?;
                }
                self.write_line("235 welcome").await
            }
            "AUTH" => self.write_line("235 welcome").await,
            "MAIL" => {
                self.mail = Received {
                    from: inside(line),
                    ..Received::default()
                };
                self.write_line(response.unwrap_or("250 ok")).await
            }
            "RCPT" if self.is_greylisted(&inside(line)) => {
                self.write_line("450 come back later").await
            }
            "RCPT" => match behaviour {
                Behaviour::Hangs => std::future::pending().await,
                Behaviour::Refuses(response) => self.write_line(response).await,
                _ => {
                    self.mail.to.push(inside(line));
                    self.write_line(response.unwrap_or("250 ok")).await
                }
            },
            "DATA" => self.receive_message(behaviour).await,
            "QUIT" => {
                self.write_line("221 bye").await?;
                None
            }
            _ => self.write_line("250 ok").await,
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

    async fn receive_message(&mut self, behaviour: Behaviour) -> Option<()> {
        let response = self.response_to("DATA").unwrap_or("354 go on");
        self.write_line(response).await?;
        loop {
            let line = self.read_line_or_end().await?;
            if line == ".\r\n" {
                break;
            }
            let text = line.strip_prefix('.').unwrap_or(&line);
            self.mail.message.push_str(text);
        }
        let mail = std::mem::take(&mut self.mail);
        self.state.lock().unwrap().received.push(mail);
        match behaviour {
            Behaviour::DropsAfterData => None,
            _ => {
                let response = self.response_to(".").unwrap_or("250 taken");
                self.write_line(response).await
            }
        }
    }

    fn response_to(&self, verb: &str) -> Option<&'static str> {
        match self.state.lock().unwrap().behaviour {
            Behaviour::RespondsTo(to, response) if to == verb => Some(response),
            _ => None,
        }
    }

    async fn read_line_or_end(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).await.ok()?;
        (read > 0).then_some(line)
    }

    async fn write_line(&mut self, text: &str) -> Option<()> {
        let line = format!("{text}\r\n");
        self.writer.write_all(line.as_bytes()).await.ok()
    }
}
