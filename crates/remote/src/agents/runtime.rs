//! The thread on which a coordinator's network runs.

use crate::agents::link::Sending;
use crate::error::RemoteError;
use proofload_language::tr;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Longest time for the last messages to leave; a peer may take nothing.
const LEAVING: Duration = Duration::from_secs(2);

/// A coordinator's network on a thread of its own.
#[derive(Debug)]
pub(crate) struct Runtime {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A runtime of tokio for one thread.
pub(crate) fn on_one_thread() -> Result<tokio::runtime::Runtime, RemoteError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| {
        let label = tr!("cannot-make-runtime");
        RemoteError::FailedStart(tr!("labelled", label, what = error.to_string()))
    })
}

impl Runtime {
    /// Until it is dropped, and the last messages have left.
    pub fn start<F>(work: impl FnOnce(Sending) -> F + Send + 'static) -> Result<Runtime, RemoteError>
    where
        F: Future<Output = ()>,
    {
        let runtime = on_one_thread()?;
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
