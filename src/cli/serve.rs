//! The command `account serve`.

use super::{CommandError, CommandResult, ConfigArgument};
use crate::config;
use crate::http::server;
use crate::observability::logs;

pub(super) async fn run(settings: ConfigArgument) -> CommandResult {
    let config = settings.load()?;
    logs::start(&config.log).map_err(|e| CommandError::failed(format!("cannot log: {e}")))?;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        commit = option_env!("ACCOUNT_COMMIT_ID"),
        "starting"
    );
    for warning in config::warnings(&config) {
        tracing::warn!(warning);
    }
    #[cfg(feature = "otlp")]
    let traces =
        crate::observability::traces::TraceExporter::start().map_err(CommandError::Usage)?;
    let reload = Box::new(move || settings.load().map_err(|error| error.to_string()));
    let served = server::start(config, reload).await;
    #[cfg(feature = "otlp")]
    if let Some(traces) = traces {
        traces.end().await;
    }
    Ok(served?)
}
