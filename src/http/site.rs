//! The state of the router, which contains the app and the parts that only HTTP needs.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;

use super::middleware::request_id::RequestIds;
use super::pages::Pages;
use crate::app::{self, SharedApp, StartError};
use crate::config::Config;

#[derive(Clone)]
pub struct Site(Arc<SiteParts>);

pub struct SiteParts {
    pub app: SharedApp,
    pub(crate) pages: Arc<Pages>,
    pub(crate) request_ids: RequestIds,
}

impl Site {
    pub(crate) fn new(app: SharedApp, pages: Arc<Pages>) -> Site {
        Site(Arc::new(SiteParts {
            request_ids: RequestIds::new(&app.rng),
            app,
            pages,
        }))
    }

    /// Builds the site. The error names the wrong setting.
    pub fn build(app: SharedApp) -> Result<Site, String> {
        let pages = Pages::new(&app.config)?;
        Ok(Site::new(app, Arc::new(pages)))
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

impl Deref for Site {
    type Target = SiteParts;

    fn deref(&self) -> &SiteParts {
        &self.0
    }
}

impl FromRef<Site> for SharedApp {
    fn from_ref(site: &Site) -> SharedApp {
        site.app.clone()
    }
}
