//! Request bodies that were not read completely before the response. The next request of a connection begins after the
//! end of the body. The rest of the body is therefore read if it is small and arrives soon; otherwise the response
//! announces that the connection closes (RFC 9112, 9.3 and 9.6).

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::HeaderMap;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::header::EXPECT;

const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The rest of an HTTP request's body, which the connection must read.
pub(super) struct UnreadBody {
    body: Arc<Mutex<Incoming>>,
    /// Whether the client sends the body only after "100 Continue".
    expects_continue: bool,
}

/// The body of an HTTP request, as the handler reads it.
struct SharedBody(Arc<Mutex<Incoming>>);

/// Shares a body between the handler and the connection, which reads the rest. The rest is `None` if there is no body.
pub(super) fn split_body(body: Incoming, headers: &HeaderMap) -> (Body, Option<UnreadBody>) {
    if body.is_end_stream() {
        return (Body::empty(), None);
    }
    let body = Arc::new(Mutex::new(body));
    let rest = UnreadBody {
        body: body.clone(),
        expects_continue: headers.contains_key(EXPECT),
    };
    (Body::new(SharedBody(body)), Some(rest))
}

impl UnreadBody {
    /// Reads and discards at most `limit` bytes of the rest. Returns whether the end of the body was reached.
    pub(super) async fn drain(self, limit: usize) -> bool {
        let mut all = SharedBody(self.body);
        if all.is_end_stream() {
            return true;
        }
        // A client that waits for "100 Continue" and gets another response may or may not send the body.
        if self.expects_continue || all.size_hint().exact().is_some_and(|n| n > limit as u64) {
            return false;
        }
        let read = async {
            let mut bytes_left = limit;
            loop {
                let frame = std::future::poll_fn(|cx| Pin::new(&mut all).poll_frame(cx)).await;
                match frame {
                    None => return true,
                    Some(Err(_)) => return false,
                    Some(Ok(frame)) => match frame.data_ref().map_or(0, Bytes::len) {
                        bytes if bytes > bytes_left => return false,
                        bytes => bytes_left -= bytes,
                    },
                }
            }
        };
        tokio::time::timeout(DRAIN_TIMEOUT, read)
            .await
            .unwrap_or(false)
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut body = self.0.lock().expect("no panic while held");
        Pin::new(&mut *body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().expect("no panic while held").is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().expect("no panic while held").size_hint()
    }
}
