//! Whose turn it is on a connection: the client's, who has `HEAD_TIME` for the head of the next request, or ours.
//!
//! hyper's own `header_read_timeout` makes, starts and ends a timer for each request, which costs more than the
//! query behind it (docs/decisions/http-server.md). Here a connection has one timer, which is set forward at most
//! once every `HEAD_TIME`.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

const OURS: u64 = u64::MAX;

/// Known to both ends of a connection: its bytes and its requests.
#[derive(Clone)]
pub struct Turn {
    begun: Instant,
    /// Since when the client has it, milliseconds after `begun`; or [`OURS`].
    since: Arc<AtomicU64>,
}

impl Turn {
    /// The client begins.
    pub fn begin() -> Turn {
        Turn {
            begun: Instant::now(),
            since: Arc::new(AtomicU64::new(0)),
        }
    }

    /// A request's head has come: until the end of the answer that `answered` is part of, the turn is ours.
    pub fn take(&self) {
        self.since.store(OURS, Ordering::Relaxed);
    }

    fn give(&self) {
        let since = self.begun.elapsed().as_millis() as u64;
        self.since.store(since, Ordering::Relaxed);
    }

    pub fn answered(&self, body: Body) -> Answered {
        let turn = self.clone();
        Answered { body, turn }
    }

    /// Since when the client lets us wait, if it does.
    fn since(&self) -> Option<Instant> {
        match self.since.load(Ordering::Relaxed) {
            OURS => None,
            millis => Some(self.begun + Duration::from_millis(millis)),
        }
    }
}

/// The body of an answer. At its end the turn is the client's.
pub struct Answered {
    body: Body,
    turn: Turn,
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.turn.give();
    }
}

impl HttpBody for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// How long a client may keep its turn.
pub struct Limit {
    turn: Turn,
    time: Duration,
    timer: Pin<Box<Sleep>>,
    /// Whether the timer will wake the connection's task, which is the only one that ever asks.
    is_set: bool,
}

impl Limit {
    pub fn new(turn: Turn, time: Duration) -> Limit {
        let timer = Box::pin(tokio::time::sleep(time));
        Limit {
            turn,
            time,
            timer,
            is_set: false,
        }
    }

    /// Ready when the client has had its turn for too long. Asked while nothing comes.
    pub fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_set && !self.timer.is_elapsed() {
            return Poll::Pending;
        }
        loop {
            self.is_set = true;
            ready!(self.timer.as_mut().poll(cx));
            // It was set when an earlier turn began, and may be early. And it runs while the turn is ours: nobody
            // may ask again when that ends.
            let now = Instant::now();
            let end = self.turn.since().unwrap_or(now) + self.time;
            if now >= end {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const TIME: Duration = Duration::from_secs(3600);

    /// A connection that began so long ago.
    fn after(time: Duration) -> (Turn, Limit) {
        let turn = Turn {
            begun: Instant::now() - time,
            since: Arc::default(),
        };
        let mut limit = Limit::new(turn.clone(), TIME);
        limit.timer = Box::pin(tokio::time::sleep_until(turn.begun + TIME));
        (turn, limit)
    }

    async fn is_over(limit: &mut Limit) -> bool {
        poll_fn(|cx| Poll::Ready(limit.poll_over(cx).is_ready())).await
    }

    #[tokio::test]
    async fn a_client_that_sends_nothing_has_its_time_and_no_more() {
        assert!(!is_over(&mut after(TIME / 2).1).await);
        let (_turn, mut limit) = after(TIME);
        poll_fn(|cx| limit.poll_over(cx)).await;
    }

    #[tokio::test]
    async fn who_was_asked_during_our_turn_need_not_be_asked_again() {
        let turn = Turn::begin();
        turn.take();
        let answer = turn.answered(Body::empty());
        let mut limit = Limit::new(turn.clone(), Duration::from_millis(20));
        let (asked, was_asked) = tokio::sync::oneshot::channel();
        let mut asked = Some(asked);
        let over = tokio::spawn(poll_fn(move |cx| {
            let over = limit.poll_over(cx);
            asked.take().map(|asked| asked.send(()));
            over
        }));
        was_asked.await.expect("asked");
        drop(answer);
        over.await.expect("it ends by itself");
    }

    #[tokio::test]
    async fn our_own_time_is_not_the_clients_and_each_turn_begins_anew() {
        let (turn, mut limit) = after(3 * TIME);
        for _ in 0..3 {
            turn.take();
            let answer = turn.answered(Body::empty());
            assert!(!is_over(&mut limit).await);
            drop(answer);
            assert!(!is_over(&mut limit).await);
        }
    }
}
