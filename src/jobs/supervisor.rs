use std::time::Duration;

use tokio::task::JoinHandle;

/// Runs a task as long as the process, and restarts it after a panic, so that one damaged row does not end the task.
pub(crate) fn supervise<F>(task: impl Fn() -> F + Send + 'static) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(async move {
        // The error is not logged, because its message may contain user input; the panic hook has logged the panic.
        while tokio::spawn(task()).await.is_err() {
            tracing::error!("a background task panicked and is restarted");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    // security: FI-12
    #[tokio::test]
    async fn a_background_task_that_panics_is_restarted() {
        let starts = Arc::new(AtomicU32::new(0));
        let counted = starts.clone();
        let task = super::supervise(move || {
            let times = counted.fetch_add(1, Ordering::SeqCst);
            async move { assert!(times > 0, "the first time it fails") }
        });
        task.await.unwrap();
        assert_eq!(starts.load(Ordering::SeqCst), 2);
    }
}
