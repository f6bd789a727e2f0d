//! The state of the router, which contains the app and the parts that only HTTP needs.

use std::sync::Arc;

use axum::extract::FromRef;

use super::pages::Pages;
use crate::app::{self, SharedApp, StartError};
use crate::config::Config;

#[derive(Clone)]
pub struct Site {
    pub app: SharedApp,
    pub(crate) pages: Arc<Pages>,
}

impl Site {
    /// Builds the site. The error names the wrong setting.
    pub fn build(app: SharedApp) -> Result<Site, String> {
        let pages = Arc::new(Pages::new(&app.config)?);
        Ok(Site { app, pages })
    }

    /// Returns the site with new values of the settings that can be replaced while the server runs, and the changed
    /// sections that only a restart applies (see `App::with_config`). Texts and fragments are fetched again.
    pub(crate) fn with_config(&self, config: &Config) -> Result<(Site, Vec<&'static str>), String> {
        let (app, needs_restart) = self.app.with_config(config)?;
        Ok((Site::build(app)?, needs_restart))
    }
}

/// Checks the rules that the types of the settings cannot express. Returns every error that would prevent a start, but
/// opens no database and no connection.
pub(crate) fn check(config: &Config) -> Result<(), StartError> {
    app::check(config)?;
    Pages::new(config).map_err(StartError::Setting)?;
    Ok(())
}

impl FromRef<Site> for SharedApp {
    fn from_ref(site: &Site) -> SharedApp {
        site.app.clone()
    }
}
