//! The thread on which a coordinator's network runs.

use crate::error::FleetError;
use crate::link::Sending;
use proofload_language::word;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// How long what is said last may take to leave; a peer may take nothing.
const LEAVING: Duration = Duration::from_secs(2);

/// Runs the network of a coordinator on a thread of its own.
#[derive(Debug)]
pub(crate) struct Runtime {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Runtime {
    /// Until it is dropped, and what was said last has left.
    pub fn start<F>(work: impl FnOnce(Sending) -> F + Send + 'static) -> Result<Runtime, FleetError>
    where
        F: Future<Output = ()>,
    {
        let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = built
            .map_err(|source| FleetError::System { what: word!("cannot-make-runtime").to_owned(), source })?;
        let (end, ends) = oneshot::channel();
        let (sending, mut all_sent) = mpsc::channel(1);
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = work(sending) => {}
                    _ = ends => {}
                }
                let _ = timeout(LEAVING, all_sent.recv()).await;
            });
            runtime.shutdown_background();
        });
        Ok(Runtime { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread.take().map(JoinHandle::join);
    }
}
