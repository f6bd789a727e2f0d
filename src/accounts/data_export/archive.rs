//! Packs an export into a ZIP archive during the download, so that memory never contains a whole file or archive.

use std::io::{self, BufWriter, Write};

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

const CHUNK_BYTES: usize = 32 << 10;
/// The maximum number of packed chunks that wait for the download. Most archives have fewer chunks.
const MAX_WAITING_CHUNKS: usize = 16;

pub(super) type Zip = ZipWriter<StreamWriter<BufWriter<ChunkSender>>>;

/// Starts a thread that sends the packed files in chunks. The archive is complete if the thread returns no error.
pub(super) fn start(
    write_files: impl FnOnce(&mut Zip) -> io::Result<()> + Send + 'static,
) -> (Receiver<Vec<u8>>, JoinHandle<io::Result<()>>) {
    let (sender, receiver) = mpsc::channel(MAX_WAITING_CHUNKS);
    let thread = tokio::task::spawn_blocking(move || {
        let chunks = BufWriter::with_capacity(CHUNK_BYTES, ChunkSender(sender));
        let mut zip = ZipWriter::new_stream(chunks);
        write_files(&mut zip)?;
        zip.finish()?.flush()
    });
    (receiver, thread)
}

/// Adds a file without its modification time, so that equal data make equal archives.
pub(super) fn add_file(
    zip: &mut Zip,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    zip.start_file(name, SimpleFileOptions::default())?;
    let mut buffered = BufWriter::with_capacity(CHUNK_BYTES, zip);
    write(&mut buffered)?;
    buffered.flush()
}

/// Sends each written chunk to the receiver, and blocks while [`MAX_WAITING_CHUNKS`] chunks are unread.
pub(super) struct ChunkSender(Sender<Vec<u8>>);

impl Write for ChunkSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(bytes.to_vec());
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
