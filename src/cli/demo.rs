//! `account demo`.

use std::path::PathBuf;

use super::{CommandError, Settings};
use crate::{app, demo};

pub(super) async fn run(settings: &Settings, data: Option<PathBuf>) -> Result<(), CommandError> {
    let config = settings.load()?;
    app::check(&config)?;
    demo::run(config, data).await.map_err(CommandError::failed)
}
