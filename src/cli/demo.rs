//! `account demo`: the whole site with sample accounts, to walk through every screen in five minutes.
//!
//! No data leaves the machine, and mails are captured. The sample application is a separate program.

mod client;
mod guide;
mod regions;
mod seed;

use std::os::unix::fs::DirBuilderExt;

use client::SampleApp;

use super::prelude::*;
use crate::http::{server, site};
use crate::observability::logs;

pub(super) async fn run(settings: &ConfigArgument, data: Option<PathBuf>) -> CommandResult {
    let config = settings.load()?;
    site::check(&config)?;
    serve_demo(config, data).await.map_err(CommandError::failed)
}

/// Serves the site until the process is stopped. If `data` is `None`, all data is deleted at the end.
async fn serve_demo(mut config: Config, data: Option<PathBuf>) -> CommandResult {
    if !config.server.listen.ip().is_loopback() {
        print_message!(
            "warning: server.listen: the demo's passwords and mails are open to everybody who reaches {}; \
             use 127.0.0.1 unless that is intended",
            config.server.listen
        );
    }
    // A port that is in use is reported early, but the server's own listener may still fail later.
    let listen = config.server.listen;
    std::net::TcpListener::bind(listen).map_err(|error| {
        CommandError::failed(format!("server.listen: cannot listen on {listen}: {error}"))
    })?;
    let (folder, is_temporary) = match data {
        Some(folder) => (folder, false),
        None => (temporary_folder(&Rng::System), true),
    };
    create_folder(&folder)?;
    let sample_app = apply_demo_settings(&mut config, &folder)?;
    let result = serve_in(config, &folder, &sample_app).await;
    if is_temporary {
        std::fs::remove_dir_all(&folder).map_err(|error| {
            CommandError::failed(format!("cannot remove {}: {error}", folder.display()))
        })?;
    }
    result
}

async fn serve_in(config: Config, folder: &Path, sample_app: &SampleApp) -> CommandResult {
    logs::start(&config.log)?;
    let app = App::build(config, Clock::System, Rng::System).await?;
    seed::create_accounts(&app).await?;
    seed::import_old_accounts(&app, folder).await?;
    let apps = seed::create_accounts_with_apps(&app).await?;
    for line in guide::render(&app.config, sample_app, &apps).lines() {
        print_message!("{line}");
    }
    Ok(server::run(app).await?)
}

/// Changes settings for the demo, but keeps those that the user has set explicitly.
fn apply_demo_settings(config: &mut Config, folder: &Path) -> CommandResult<SampleApp> {
    let defaults = Config::default();
    let database = format!("sqlite://{}", folder.join("account.db").display());
    config.database.url = database.parse().map_err(CommandError::failed)?;
    config.security.encryption_key_file = folder.join("account.key");
    config.mail.smtp_url = None;
    config.support.enabled = true;
    config.regions = regions::sample_regions();
    if config.server.public_url == defaults.server.public_url {
        config.server.public_url = format!("http://localhost:{}", config.server.listen.port());
    }
    // Links in mails of the first region lead to the host of the guide's URL, where the browser has its cookies.
    let host = config.public_host();
    if !config.regions.iter().any(|one| one.hosts.contains(&host)) {
        config.regions[0].hosts.insert(0, host);
    }
    // A log line for each request would hide the guide.
    if config.log.level == defaults.log.level {
        config.log.level = "warn".into();
    }
    // The start page is a placeholder page of the sample regions, because such a page has a header and a footer.
    config.server.site_home.get_or_insert("/episodios".into());
    client::add_sample_app(config, folder)
}

fn temporary_folder(rng: &Rng) -> PathBuf {
    let name = format!("account-demo-{}", rng.id(0).simple());
    std::env::temp_dir().join(name)
}

/// Creates a folder that only the user can read, because the captured mails contain working links.
fn create_folder(folder: &Path) -> CommandResult {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| CommandError::failed(format!("cannot make {}: {error}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_of_the_first_region_lead_to_the_printed_url() {
        for (public_url, first) in [
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://demo.example", "http://demo.example"),
            ("http://de.localhost:8080", "http://us.localhost:8080"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let mut config = Config::default();
            config.server.public_url = public_url.to_owned();
            apply_demo_settings(&mut config, folder.path()).unwrap();
            assert_eq!(config.region_origin(&config.regions[0]), first);
            assert_eq!(crate::config::problems(&config), Vec::<String>::new());
        }
    }
}
