//! The state of the application. The same function builds the state in production and in tests.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::config::{Config, Region};
use crate::crypto::hashing::Hasher;
use crate::crypto::sealing::{SealError, key_file};
use crate::crypto::signed_text::SignedTextKeys;
use crate::db::{Durability, Store, StoreError};
use crate::error::ApiResult;
use crate::health::Health;
use crate::maintenance;
use crate::observability::metrics::Metrics;
use crate::outgoing::http::Deliverer;
use crate::outgoing::recovery::Recovery;
use crate::outgoing::smtp::Mailer;
use crate::rate_limit::{LimitedAction, RateLimiter};
use crate::rng::Rng;
use crate::store;
use crate::store::accounts::Account;
use crate::store::name_hasher::NameHasher;
use crate::store::names::UsernameHold;
use crate::store::sealed::{self, SealingError};
use crate::store::sealer::Sealer;
use crate::store::signing_keys::SigningKeys;

pub struct App {
    pub config: Config,
    pub store: Store,
    pub clock: Clock,
    pub rng: Rng,
    pub hasher: Arc<Hasher>,
    pub rate_limiter: RateLimiter,
    pub mailer: Mailer,
    pub deliverer: Arc<Deliverer>,
    pub(crate) recovery: Arc<Recovery>,
    pub metrics: Arc<Metrics>,
    pub health: Arc<Health>,
    pub signed_text_keys: SignedTextKeys,
    /// Makes the keyed hashes of former usernames and email addresses.
    pub username_hasher: NameHasher,
    /// Encrypts the secrets in the database that the program must read again, such as the keys of authenticator apps.
    pub sealing: Arc<Sealer>,
    /// Signs the tokens of the OpenID Connect provider.
    pub(crate) signing_keys: Arc<SigningKeys>,
    /// The places for exports of accounts, which share the memory of this process.
    pub(crate) exports: Arc<Semaphore>,
}

/// The maximum number of concurrent exports of a process. An export of a full account has 11 MB in memory, for up to two
/// minutes.
const MAX_EXPORTS: usize = 4;

pub type SharedApp = Arc<App>;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Setting(String),
    #[error("{0}")]
    Sealed(SealError),
    #[error("database.url: this database is an unfinished copy; run account store copy again")]
    UnfinishedCopy,
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl From<SealingError> for StartError {
    fn from(error: SealingError) -> Self {
        match error {
            SealingError::Store(error) => StartError::Store(error),
            SealingError::Seal(error) => StartError::Sealed(error),
            wrong => StartError::Setting(wrong.to_string()),
        }
    }
}

impl StartError {
    /// Returns whether every start fails until a setting is changed.
    pub fn is_wrong_setting(&self) -> bool {
        matches!(
            self,
            StartError::Setting(_) | StartError::Store(StoreError::InvalidSetting(_))
        )
    }
}

/// Checks the rules that the types of the settings cannot express. Returns every error that `App::build` would return,
/// but opens no database and no connection.
pub fn check(config: &Config) -> Result<(), StartError> {
    Store::check(&config.database)?;
    Store::check_file(&config.database)?;
    Mailer::new(config).map_err(StartError::Setting)?;
    let keys = key_file::read(&config.security.encryption_key_file);
    keys.map_err(SealingError::File)?;
    Ok(())
}

impl App {
    /// Builds the app of a server: reads the key file, and creates it at the first start.
    pub async fn build(config: Config, clock: Clock, rng: Rng) -> Result<SharedApp, StartError> {
        let app = App::for_command(config, clock, rng).await?;
        let path = &app.config.security.encryption_key_file;
        let mut tx = app.store.write().await?;
        sealed::prepare_key_file(&mut tx, path, &app.rng).await?;
        tx.commit().await?;
        if app.config.oidc.enabled {
            app.signing_keys
                .add_due_keys(&app.store, &app.config)
                .await?;
        }
        if let Err(error) = key_file::remove_abandoned_drafts(path) {
            tracing::warn!(%error, "security.encryption_key_file: a temporary file of a killed process could not be removed");
        }
        Ok(app)
    }

    /// Builds the app of a command that encrypts nothing. The key file is not created, because a command may run as
    /// another user than the server, or in another folder.
    pub(crate) async fn for_command(
        config: Config,
        clock: Clock,
        rng: Rng,
    ) -> Result<SharedApp, StartError> {
        Store::check(&config.database)?;
        // A wrong setting is reported before the database is opened, because the database may be unavailable for long.
        let mailer = Mailer::new(&config).map_err(StartError::Setting)?;
        let store = Store::open_to_serve(&config.database, clock.millis()).await?;
        let mut tx = store.write().await?;
        if maintenance::copy::is_unfinished(&mut tx).await? {
            return Err(StartError::UnfinishedCopy);
        }
        let limit_key = store::secrets::get_or_create(&mut tx, "limits", &rng).await?;
        let cookie_key = store::secrets::get_or_create(&mut tx, "cookies", &rng).await?;
        let passkey_key = store::secrets::get_or_create(&mut tx, "passkeys", &rng).await?;
        let username_hasher = NameHasher::load(&mut tx, &rng).await?;
        tx.commit().await?;
        let metrics = Metrics::new(store.kind(), clock.millis());
        let key_file = &config.security.encryption_key_file;
        let sealing = Arc::new(Sealer::new(key_file, &clock, &rng));
        Ok(Arc::new(App {
            hasher: Arc::new(Hasher::start(
                &config.password,
                &rng,
                metrics.hashing.clone(),
            )),
            rate_limiter: RateLimiter::new(
                config.limits.clone(),
                limit_key,
                metrics.limits.clone(),
            ),
            mailer,
            deliverer: Arc::default(),
            recovery: Arc::default(),
            metrics: Arc::new(metrics),
            health: Arc::default(),
            signed_text_keys: SignedTextKeys {
                cookies: cookie_key.try_into().expect("made with 32 bytes"),
                passkeys: passkey_key.try_into().expect("made with 32 bytes"),
            },
            username_hasher,
            exports: Arc::new(Semaphore::new(MAX_EXPORTS)),
            signing_keys: Arc::new(SigningKeys::new(&clock, &rng, &sealing)),
            sealing,
            config,
            store,
            clock,
            rng,
        }))
    }

    /// Returns how long a username is held that the account lets go now.
    pub(crate) fn username_hold(&self, account: &Account, now: i64) -> UsernameHold<'_> {
        let until = now.saturating_add(self.config.lifetimes.username_hold.millis());
        UsernameHold {
            hasher: &self.username_hasher,
            until: account.verified.then_some(until),
        }
    }

    /// Counts the actions against their rate limits like [`RateLimiter::admit`], but in a separate transaction.
    pub(crate) async fn enforce_rate_limits(&self, actions: &[LimitedAction<'_>]) -> ApiResult {
        if !self.config.limits.enabled {
            return Ok(());
        }
        let count = |tx| async {
            let now = self.clock.millis();
            let tx = self.rate_limiter.admit(tx, actions, now).await?;
            tx.commit_with(()).await
        };
        let durability = Durability::ProcessCrash;
        self.store.transaction(&self.rng, durability, count).await
    }

    /// Returns the brand of the region. If the region has no brand, returns the host of the site, because a mail about
    /// "your Account account" would not name the site.
    pub(crate) fn brand_name<'a>(&self, region: &'a Region) -> Cow<'a, str> {
        if region.brand != Region::default().brand {
            return Cow::Borrowed(&region.brand);
        }
        let host = self.config.public_host();
        Cow::Owned(host.strip_prefix("www.").unwrap_or(&host).to_owned())
    }

    /// Returns the app with new values of the settings that can change while the server runs: log level, limits and
    /// regions. Also returns the names of the changed sections that only a restart can apply. The error names a wrong
    /// setting.
    pub fn with_config(
        &self,
        new_config: &Config,
    ) -> Result<(SharedApp, Vec<&'static str>), String> {
        let mut config = self.config.clone();
        config.limits = new_config.limits.clone();
        config.regions.clone_from(&new_config.regions);
        config.log.level.clone_from(&new_config.log.level);
        if let Some(problem) = crate::config::problems(&config).into_iter().next() {
            return Err(problem);
        }
        let app = App {
            hasher: self.hasher.clone(),
            rate_limiter: self.rate_limiter.with_settings(config.limits.clone()),
            mailer: Mailer::new(&config)?,
            deliverer: self.deliverer.clone(),
            recovery: self.recovery.clone(),
            metrics: self.metrics.clone(),
            health: self.health.clone(),
            signed_text_keys: self.signed_text_keys.clone(),
            username_hasher: self.username_hasher.clone(),
            exports: self.exports.clone(),
            sealing: self.sealing.clone(),
            signing_keys: self.signing_keys.clone(),
            store: self.store.clone(),
            clock: self.clock.clone(),
            rng: self.rng.clone(),
            config,
        };
        let needs_restart = app.config.changed_sections(new_config);
        Ok((Arc::new(app), needs_restart))
    }
}
