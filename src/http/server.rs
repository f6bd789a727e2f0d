//! The server: listeners, background tasks, reload and graceful shutdown.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use super::prelude::*;
use super::site::Site;
use crate::app::StartError;
use crate::config;
use crate::http::pages::Pages;
use crate::http::{ops, router};
use crate::jobs::supervisor::supervise;
use crate::jobs::{deletion, expiry, key_rotation};
use crate::observability::logs;
use crate::outbox::{queues, requests};

mod accept;
mod startup;
mod stream;
mod unread_body;

use accept::{ConnectionSettings, accept, listen};

/// If `server.drain_delay` is not set, a process that has received SIGTERM still accepts connections for
/// `server.shutdown_grace` divided by this number.
const DRAIN_DELAY_DIVISOR: u32 = 5;
const MAX_DRAIN_DELAY: Duration = Duration::from_secs(2);
/// The maximum number of open connections to the site; further connections wait until one closes.
const MAX_CONNECTIONS: usize = 10_000;
/// The number of files that connections of visitors leave to the rest of the process.
const RESERVED_FILES: usize = 200;
/// The maximum number of connections to the operators' listener.
const MAX_OPS_CONNECTIONS: usize = 64;

/// A function that reads the configuration for a reload, or returns why it is invalid.
pub type ConfigReader = Box<dyn Fn() -> Result<Config, String> + Send + Sync>;

struct Listeners {
    site: Arc<TcpListener>,
    ops: Option<Arc<TcpListener>>,
}

impl Listeners {
    fn open(config: &Config) -> std::io::Result<Listeners> {
        let server = &config.server;
        let ops = server
            .ops_listen
            .map(|address| listen("server.ops_listen", address));
        Ok(Listeners {
            site: listen("server.listen", server.listen)?,
            ops: ops.transpose()?,
        })
    }
}

/// Builds the app, retries while the database is unavailable, and serves until SIGTERM or SIGINT. SIGHUP reloads the
/// configuration.
pub async fn start(config: Config, reader: ConfigReader) -> Result<(), StartError> {
    // The handler is installed first, because SIGHUP would end the process while the app is being built.
    let hangups = signal(SignalKind::hangup())?;
    let mut stops = StopSignals::install()?;
    // A wrong setting is reported before the database is opened, because the database may be unavailable for long.
    let pages = Pages::new(&config).map_err(StartError::Setting)?;
    let listeners = Listeners::open(&config)?;
    let app = tokio::select! {
        built = startup::build(&config, &listeners) => built?,
        _ = stops.wait_for_signal() => {
            tracing::info!("stopped before the database was available");
            return Ok(());
        }
    };
    let stop = wait_for_stop(app.clone(), stops);
    let pages = Arc::new(pages);
    let site = Site { app, pages };
    Ok(serve(site, listeners, stop, Some((hangups, reader))).await?)
}

/// Serves until SIGTERM or SIGINT.
pub async fn run(app: SharedApp) -> std::io::Result<()> {
    let stop = wait_for_stop(app.clone(), StopSignals::install()?);
    run_until(app, stop).await
}

/// Serves until the future `stop` completes, and then completes open HTTP requests within the grace period.
pub async fn run_until(
    app: SharedApp,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let listeners = Listeners::open(&app.config)?;
    let site = Site::build(app).map_err(std::io::Error::other)?;
    serve(site, listeners, stop, None).await
}

async fn serve(
    site: Site,
    listeners: Listeners,
    stop: impl Future<Output = ()> + Send + 'static,
    hangups: Option<(Signal, ConfigReader)>,
) -> std::io::Result<()> {
    let app = site.app.clone();
    let address = app.config.server.listen;
    let mut running = RunningServer::start(site);
    tracing::info!(%address, url = %format!("{}/account/", app.config.server.public_url), "listening");
    let grace = app.config.server.shutdown_grace.0;
    let (stopping, stopped) = watch::channel(false);
    let scrapes = tokio::spawn(serve_metrics(
        running.ops_settings(),
        listeners.ops,
        stopped,
    ));
    // A worker thread accepts the connections, because tasks that another thread spawns go to the runtime's global
    // queue. Busy workers poll that queue last, so that new connections waited for a second.
    let accepting = tokio::spawn(accept(running.site_settings(), listeners.site, stop));
    let open = tokio::select! {
        open = accepting => open?,
        () = running.reload_on_hangup(hangups) => unreachable!("it waits for signals for ever"),
    };
    tracing::info!("stopping");
    // Sending fails if the receiver has ended already, which needs no handling.
    let _ = stopping.send(true);
    let finished = async {
        open.shutdown().await;
        let _ = tokio::join!(running.background.end(), scrapes);
    };
    if tokio::time::timeout(grace, finished).await.is_err() {
        tracing::warn!("the grace period is over; open connections are closed");
    }
    tracing::info!("stopped");
    Ok(())
}

/// A running server, with the parts that a reload replaces.
struct RunningServer {
    site: Site,
    site_router: watch::Sender<Router>,
    ops_router: watch::Sender<Router>,
    background: BackgroundTasks,
}

impl RunningServer {
    fn start(site: Site) -> RunningServer {
        RunningServer {
            site_router: watch::channel(router::build(site.clone())).0,
            ops_router: watch::channel(ops::router(site.app.clone())).0,
            background: BackgroundTasks::start(&site.app),
            site,
        }
    }

    fn site_settings(&self) -> ConnectionSettings {
        let open = self.site.app.metrics.connections.clone();
        ConnectionSettings {
            open_connections: open,
            ..listener_settings(self.site_router.subscribe())
        }
    }

    fn ops_settings(&self) -> ConnectionSettings {
        ConnectionSettings {
            permits: Arc::new(Semaphore::new(MAX_OPS_CONNECTIONS)),
            ..listener_settings(self.ops_router.subscribe())
        }
    }

    /// Reloads the configuration at each signal. Never returns.
    async fn reload_on_hangup(&mut self, hangups: Option<(Signal, ConfigReader)>) {
        let Some((mut hangups, read)) = hangups else {
            return std::future::pending().await;
        };
        while hangups.recv().await.is_some() {
            match read().and_then(|config| self.site.with_config(&config)) {
                Ok((site, sections)) => {
                    self.replace_site(site).await;
                    for warning in config::warnings(&self.site.app.config) {
                        tracing::warn!(warning, "a setting is unwise for a public site");
                    }
                    tracing::info!(
                        needs_restart = sections.join(", "),
                        "the configuration was reloaded"
                    );
                }
                Err(error) => {
                    tracing::error!(
                        error,
                        "the configuration was not reloaded; the old one stays in use"
                    );
                }
            }
        }
        std::future::pending::<()>().await;
    }

    async fn replace_site(&mut self, site: Site) {
        logs::set_level(&site.app.config.log);
        let _ = self.site_router.send_replace(router::build(site.clone()));
        let _ = self.ops_router.send_replace(ops::router(site.app.clone()));
        // The old tasks end first, because otherwise two sets of maintenance tasks would run with different settings.
        self.background.end().await;
        self.background = BackgroundTasks::start(&site.app);
        self.site = site;
    }
}

/// Returns the maximum number of open connections. The process also needs files for the database and for its own
/// requests.
fn max_connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let files = files.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    });
    files
        .saturating_sub(RESERVED_FILES)
        .clamp(1, MAX_CONNECTIONS)
}

/// Returns the settings of a listener whose connections appear in no metric.
fn listener_settings(router: watch::Receiver<Router>) -> ConnectionSettings {
    ConnectionSettings {
        router,
        permits: Arc::new(Semaphore::new(max_connections())),
        open_connections: prometheus::IntGauge::new("connections", "open")
            .expect("a constant name"),
    }
}

struct BackgroundTasks {
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl BackgroundTasks {
    fn start(app: &SharedApp) -> BackgroundTasks {
        let (stop, stopped) = watch::channel(false);
        let store = app.store.clone();
        let maintenance = move |_, stopped| store.clone().run_maintenance(stopped);
        let mut tasks = vec![
            start_job(app, &stopped, requests::run_request_trimming),
            start_job(app, &stopped, expiry::run),
            start_job(app, &stopped, deletion::run),
            start_job(app, &stopped, key_rotation::run),
            start_job(app, &stopped, maintenance),
        ];
        tasks.extend(queues::queue_names(app).map(|name| {
            start_job(app, &stopped, move |app, stopped| {
                queues::run(app, name.clone(), stopped)
            })
        }));
        BackgroundTasks { stop, tasks }
    }

    /// Signals the tasks to stop, and waits for their end. The function can be cancelled and called again, because the
    /// end of the program may interrupt a reload.
    async fn end(&mut self) {
        // Sending fails if the tasks have ended already.
        let _ = self.stop.send(true);
        while let Some(task) = self.tasks.last_mut() {
            // The failure of a task needs no handling, because `supervise` has logged it.
            let _ = task.await;
            self.tasks.pop();
        }
    }
}

/// Starts a background job that ends when `stopped` changes, and starts the job again if it panics.
fn start_job<F>(
    app: &SharedApp,
    stopped: &watch::Receiver<bool>,
    run: impl Fn(SharedApp, watch::Receiver<bool>) -> F + Send + 'static,
) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (app, stopped) = (app.clone(), stopped.clone());
    supervise(move || run(app.clone(), stopped.clone()))
}

/// Serves the operators' listener if it is configured.
async fn serve_metrics(
    terms: ConnectionSettings,
    listener: Option<Arc<TcpListener>>,
    mut stopped: watch::Receiver<bool>,
) {
    let Some(listener) = listener else { return };
    let stop = async {
        // Waiting fails only if the sender is dropped, which happens at the end of the process.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    accept(terms, listener, stop).await.shutdown().await;
}

/// Returns after SIGTERM or SIGINT. After SIGTERM `/readyz` returns 503 and the listener still accepts connections for
/// a while, so that a load balancer stops sending requests. After SIGINT (Ctrl+C) there is no such delay.
async fn wait_for_stop(app: SharedApp, mut stops: StopSignals) {
    let is_term = stops.wait_for_signal().await;
    app.health.stop();
    if is_term {
        let server = &app.config.server;
        let drain_time = (server.shutdown_grace.0 / DRAIN_DELAY_DIVISOR).min(MAX_DRAIN_DELAY);
        let drain = server.drain_delay.map_or(drain_time, |delay| delay.0);
        tracing::info!(
            millis = drain.as_millis() as u64,
            "not ready; draining connections"
        );
        tokio::time::sleep(drain).await;
    }
}

/// Listens for SIGTERM and SIGINT. A signal that arrives after `install` and before `wait_for_signal` is not lost.
struct StopSignals {
    term: Signal,
    int: Signal,
}

impl StopSignals {
    fn install() -> std::io::Result<StopSignals> {
        Ok(StopSignals {
            term: signal(SignalKind::terminate())?,
            int: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for a signal. Returns true for SIGTERM, and false for SIGINT.
    async fn wait_for_signal(&mut self) -> bool {
        tokio::select! {
            _ = self.term.recv() => true,
            _ = self.int.recv() => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use rustix::process::{Signal, getpid, kill_process};
    use tokio::sync::{Notify, watch};

    use super::{BackgroundTasks, StopSignals};

    #[tokio::test]
    async fn tasks_can_be_ended_again_after_an_interruption() {
        let (stop, _stopped) = watch::channel(false);
        let go = std::sync::Arc::new(Notify::new());
        let waiting = go.clone();
        let slow = tokio::spawn(async move { waiting.notified().await });
        let tasks = vec![slow, tokio::spawn(async {})];
        let mut background = BackgroundTasks { stop, tasks };
        while !background.tasks[1].is_finished() {
            tokio::task::yield_now().await;
        }
        assert!(background.end().now_or_never().is_none(), "one task runs");
        go.notify_one();
        background.end().await;
        assert!(background.tasks.is_empty());
    }

    #[tokio::test]
    async fn a_signal_that_arrives_before_it_is_awaited_is_not_lost() {
        for (signal, is_term) in [(Signal::TERM, true), (Signal::INT, false)] {
            let mut stops = StopSignals::install().unwrap();
            kill_process(getpid(), signal).unwrap();
            assert_eq!(stops.wait_for_signal().await, is_term);
        }
    }
}
