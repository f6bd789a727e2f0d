//! The bytes of one connection: stricter than the parser where leniency lets one request hide in
//! another, and done with clients that do not take their answers.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::line_ends::LineEnds;
use super::turn::Limit;

/// Bytes that a client must take within the time it is given.
const ANSWER_PART: usize = 64 << 10;
/// Answers of so many bytes are cheaper copied into one piece than written as head and body.
const SMALL: usize = 2048;

pub struct Stream {
    tcp: TcpStream,
    line_ends: LineEnds,
    /// Of the client's turn.
    limit: Limit,
    /// For `ANSWER_PART` of an answer, or for what is left of it.
    patience: Duration,
    /// Runs while the client does not take what is written.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Bytes taken since then.
    taken: usize,
    /// A small answer in one piece.
    small: Vec<u8>,
}

impl Stream {
    pub fn new(tcp: TcpStream, limit: Limit, patience: Duration) -> Stream {
        Stream {
            tcp,
            line_ends: LineEnds::default(),
            limit,
            patience,
            stalled: None,
            taken: 0,
            small: Vec::new(),
        }
    }

    fn written(
        &mut self,
        cx: &mut Context<'_>,
        write: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match write {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.taken >= ANSWER_PART {
                    self.went_on();
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let patience = self.patience;
                let stalled = self
                    .stalled
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
                ready!(stalled.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn went_on(&mut self) {
        self.stalled = None;
        self.taken = 0;
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let Poll::Ready(read) = Pin::new(&mut self.tcp).poll_read(cx, buffer) else {
            ready!(self.limit.poll_over(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        };
        read?;
        self.line_ends.enforce(&mut buffer.filled_mut()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.tcp).poll_write(cx, bytes);
        self.written(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let write = if parts.iter().map(|part| part.len()).sum::<usize>() <= SMALL {
            this.small.clear();
            for part in parts {
                this.small.extend_from_slice(part);
            }
            Pin::new(&mut this.tcp).poll_write(cx, &this.small)
        } else {
            Pin::new(&mut this.tcp).poll_write_vectored(cx, parts)
        };
        self.written(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    /// Called when all of an answer is written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.went_on();
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::{sleep, timeout};

    use super::super::turn::Turn;
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    async fn pair() -> (Stream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (server, _) = server.expect("a connection");
        let limit = Limit::new(Turn::begin(), Duration::from_secs(60));
        let stream = Stream::new(server, limit, PATIENCE);
        (stream, client.expect("a connection"))
    }

    /// More than the system keeps for the two of them.
    fn large() -> Vec<u8> {
        vec![b'x'; 64 << 20]
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_left() {
        let (mut stream, _client) = pair().await;
        let written = timeout(Duration::from_secs(10), stream.write_all(&large())).await;
        let error = written.expect("it ends").expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_that_goes_on_gets_all_of_it_however_long_it_takes() {
        let (mut stream, mut client) = pair().await;
        let reading = tokio::spawn(async move {
            let (mut buffer, mut read) = (vec![0; 4 << 20], 0);
            loop {
                match client
                    .read(&mut buffer)
                    .await
                    .expect("no end before the end")
                {
                    0 => return read,
                    bytes => read += bytes,
                }
                sleep(PATIENCE / 10).await;
            }
        });
        let answer = large();
        stream.write_all(&answer).await.expect("all of it");
        stream.shutdown().await.expect("the end");
        assert_eq!(reading.await.expect("a reader"), answer.len());
    }
}
