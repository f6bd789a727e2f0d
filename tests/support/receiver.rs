//! A receiver of HTTP requests: a small real server whose responses the test determines.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// The reaction of the receiver to all later requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    With(u16),
    /// A redirect to another path of the receiver.
    Elsewhere,
    /// Reads the request and never responds.
    Never,
}

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub headers: HeaderMap,
    pub body: String,
}

impl ReceivedRequest {
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .unwrap_or_else(|| panic!("no {name}"))
            .to_str()
            .unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

struct Inner {
    reaction: Reaction,
    arrived: Vec<ReceivedRequest>,
}

#[derive(Clone)]
pub struct Receiver {
    pub url: String,
    state: Arc<Mutex<Inner>>,
}

impl Receiver {
    /// Accepts everything.
    pub async fn start() -> Receiver {
        let state = Arc::new(Mutex::new(Inner {
            reaction: Reaction::With(204),
            arrived: Vec::new(),
        }));
        let router = Router::new()
            .fallback(handle_request)
            .with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Receiver { url, state }
    }

    pub fn set_reaction(&self, reaction: Reaction) {
        self.state.lock().unwrap().reaction = reaction;
    }

    /// All requests so far, oldest first.
    pub fn received_requests(&self) -> Vec<ReceivedRequest> {
        self.state.lock().unwrap().arrived.clone()
    }

    /// The types of the events so far, sorted.
    pub fn event_types(&self) -> Vec<String> {
        let arrived = self.received_requests();
        let types = arrived
            .iter()
            .map(|one| one.json()["type"].as_str().unwrap().to_owned());
        let mut types: Vec<_> = types.collect();
        types.sort();
        types
    }

    pub fn clear(&self) {
        self.state.lock().unwrap().arrived.clear();
    }
}

async fn handle_request(
    State(state): State<Arc<Mutex<Inner>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let reaction = {
        let mut state = state.lock().unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        state.arrived.push(ReceivedRequest { headers, body });
        state.reaction
    };
    match reaction {
        Reaction::With(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Reaction::Elsewhere => (
            StatusCode::TEMPORARY_REDIRECT,
            [(header::LOCATION, "/elsewhere")],
        )
            .into_response(),
        Reaction::Never => std::future::pending().await,
    }
}
