//! The commands `account oidc …`.

use super::prelude::*;
use crate::domain::secret::{Secret, hexadecimal};
use crate::store::signing_keys::{ListedKey, Rotation};

#[derive(Subcommand)]
pub(super) enum OidcCommand {
    /// Generate a secret for an application; prints it once, with secret_sha256 for the configuration
    ClientSecret,
    /// List the signing keys, or begin a rotation
    Keys {
        /// Publish the next key of each algorithm; the key signs after 24 hours
        #[arg(long)]
        rotate: bool,
        /// After a key was compromised: use the next key immediately, and remove all other keys from the key set
        #[arg(long, requires = "rotate")]
        now: bool,
        /// Print the keys as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
}

pub(super) async fn run(command: OidcCommand) -> CommandResult {
    match command {
        OidcCommand::ClientSecret => print_client_secret(),
        OidcCommand::Keys {
            rotate,
            now,
            json,
            settings,
        } => {
            let rotation = match (rotate, now) {
                (false, _) => None,
                (true, false) => Some(Rotation::Scheduled),
                (true, true) => Some(Rotation::Now),
            };
            list_or_rotate_keys(&settings, rotation, json).await
        }
    }
}

fn print_client_secret() -> CommandResult {
    let secret = Secret::generate(&Rng::System);
    let digest = hexadecimal(&secret.hash());
    output::print_line(format_args!("secret = \"{}\"", secret.expose()))?;
    output::print_line(format_args!("secret_sha256 = \"{digest}\""))?;
    print_message!(
        "account: the secret is for the application and is not stored here; add secret_sha256 to its entry of [[oidc.clients]]"
    );
    Ok(())
}

async fn list_or_rotate_keys(
    settings: &ConfigArgument,
    rotation: Option<Rotation>,
    as_json: bool,
) -> CommandResult {
    let config = settings.load()?;
    if rotation.is_some() && !config.oidc.enabled {
        return Err(CommandError::usage(
            "oidc.enabled: is false; without the provider there are no keys to rotate",
        ));
    }
    let app = open_app(config).await?;
    if let Some(rotation) = rotation {
        let new_keys = app
            .signing_keys
            .rotate(&app.store, &app.config, rotation)
            .await?;
        print_message!("account: {}", rotation_message(rotation, new_keys));
    }
    let mut tx = app.store.read().await?;
    let keys = app.signing_keys.list(&mut tx, &app.config).await?;
    print_keys(&keys, as_json)
}

fn rotation_message(rotation: Rotation, new_keys: u64) -> String {
    match (rotation, new_keys) {
        (Rotation::Now, _) => {
            format!("new keys that sign from now on: {new_keys}; all others are withdrawn")
        }
        (Rotation::Scheduled, 0) => "the next keys are published already".to_owned(),
        (Rotation::Scheduled, _) => {
            format!("new keys that are published and sign after 24 hours: {new_keys}")
        }
    }
}

fn print_keys(keys: &[ListedKey], as_json: bool) -> CommandResult {
    if as_json {
        let all = keys.iter().map(|key| {
            json!({
                "kid": key.stored.kid,
                "alg": key.stored.algorithm,
                "state": key.state.as_str(),
                "created_at": rfc3339(key.stored.created_at),
                "active_at": rfc3339(key.stored.active_at),
            })
        });
        output::print_line(json!({"keys": all.collect::<Vec<_>>()}))?;
        return Ok(());
    }
    for key in keys {
        let (stored, state) = (&key.stored, key.state.as_str());
        let since = rfc3339(stored.active_at);
        output::print_line(format_args!(
            "{:<6} {state:<9} {since} {}",
            stored.algorithm, stored.kid
        ))?;
    }
    Ok(())
}
