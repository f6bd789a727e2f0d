//! A request whose body is sent later than its head.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Browser, Response};

/// A POST whose handler is waiting for the body: all checks of the head have passed.
pub struct DelayedRequest {
    body: String,
    send: oneshot::Sender<Bytes>,
    response: JoinHandle<Response>,
}

impl Browser {
    /// Sends the head of a POST with this browser's cookies. Returns when the server waits for the body.
    pub async fn begin_delayed_post(&self, path: &str, body: &Value) -> DelayedRequest {
        let (send, sent) = oneshot::channel::<Bytes>();
        let (reading, read) = oneshot::channel();
        let stream = futures_util::stream::once(async move {
            reading.send(()).expect("the test receives the signal");
            Ok::<_, Infallible>(sent.await.expect("the rest is sent"))
        });
        let tab = self.copy();
        let request = tab.post_request(path);
        let response =
            tokio::spawn(async move { tab.send_with(request, Body::from_stream(stream)).await });
        read.await.expect("the handler reads the body");
        DelayedRequest {
            body: body.to_string(),
            send,
            response,
        }
    }
}

impl DelayedRequest {
    /// Sends the body.
    pub async fn send_body(self) -> Response {
        self.send
            .send(Bytes::from(self.body))
            .expect("the handler waits for the body");
        self.response.await.expect("the request ends")
    }
}
