//! The byte stream of one connection, which disconnects a client that does not read its responses.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The number of bytes that a client must read within the read timeout.
const BYTES_PER_READ_TIMEOUT: usize = 64 << 10;
/// The size up to which a response is copied and written by one call. A larger response is written by two calls, one
/// for the head and one for the body.
const MAX_SMALL_RESPONSE_BYTES: usize = 2048;

pub(super) struct ClientStream {
    tcp: TcpStream,
    read_timeout: Duration,
    /// The timer that runs while the client does not read.
    stall_timer: Option<Pin<Box<Sleep>>>,
    /// The number of bytes that the client has read since the last reset of the timer.
    read: usize,
    /// The buffer for a small response.
    small: Vec<u8>,
}

impl ClientStream {
    /// Disconnects the client if it takes longer than `read_timeout` to read [`BYTES_PER_READ_TIMEOUT`] bytes.
    pub(super) fn new(tcp: TcpStream, read_timeout: Duration) -> ClientStream {
        ClientStream {
            tcp,
            read_timeout,
            stall_timer: None,
            read: 0,
            small: Vec::new(),
        }
    }

    fn check_write(
        &mut self,
        cx: &mut Context<'_>,
        write: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match write {
            Poll::Ready(Ok(bytes)) => {
                self.read += bytes;
                if self.read >= BYTES_PER_READ_TIMEOUT {
                    self.reset_timer();
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let read_timeout = self.read_timeout;
                let stalled = self
                    .stall_timer
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep(read_timeout)));
                ready!(stalled.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn reset_timer(&mut self) {
        self.stall_timer = None;
        self.read = 0;
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buffer)
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.tcp).poll_write(cx, bytes);
        self.check_write(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let write =
            if parts.iter().map(|part| part.len()).sum::<usize>() <= MAX_SMALL_RESPONSE_BYTES {
                this.small.clear();
                for part in parts {
                    this.small.extend_from_slice(part);
                }
                Pin::new(&mut this.tcp).poll_write(cx, &this.small)
            } else {
                Pin::new(&mut this.tcp).poll_write_vectored(cx, parts)
            };
        self.check_write(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    /// Resets the timer, because hyper flushes the stream when it has written a whole response.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.reset_timer();
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

    use super::*;

    const READ_TIMEOUT: Duration = Duration::from_millis(200);

    async fn connected_pair() -> (ClientStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (server, _) = server.expect("a connection");
        let stream = ClientStream::new(server, READ_TIMEOUT);
        (stream, client.expect("a connection"))
    }

    /// Returns more bytes than fit into the buffers of both sockets.
    fn large_response() -> Vec<u8> {
        vec![b'x'; 64 << 20]
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_disconnected() {
        let (mut stream, _client) = connected_pair().await;
        let written = timeout(Duration::from_secs(10), stream.write_all(&large_response())).await;
        let error = written.expect("it ends").expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_slow_client_that_goes_on_reading_gets_the_whole_response() {
        let (mut stream, mut client) = connected_pair().await;
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
                sleep(READ_TIMEOUT / 10).await;
            }
        });
        let answer = large_response();
        stream.write_all(&answer).await.expect("all of it");
        stream.shutdown().await.expect("the end");
        assert_eq!(reading.await.expect("a reader"), answer.len());
    }
}
