//! Generates the next signing key of the OpenID Connect provider when a key rotation is due.

use tokio::sync::watch;

use crate::app::{App, SharedApp};
use crate::observability::causes::with_causes;
use crate::store::sealed::SealingError;

pub async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    while app.config.oidc.enabled && !*stop.borrow() {
        tokio::select! {
            () = tokio::time::sleep(app.config.lifetimes.sweep.0) => {}
            _ = stop.changed() => break,
        }
        if let Err(error) = rotate_due(&app).await {
            let error = with_causes(&error);
            tracing::warn!(error, "a signing key could not be generated; trying again");
        }
    }
}

/// Generates the signing keys that are due. Returns the number of generated keys.
pub async fn rotate_due(app: &App) -> Result<u64, SealingError> {
    app.signing_keys.add_due_keys(&app.store, &app.config).await
}
