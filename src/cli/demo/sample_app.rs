//! A sample application on a listener of its own, which signs people in over OpenID Connect. Like any application it
//! only knows the issuer, and the id and the secret of a client.

mod openid;
mod pages;
mod tokens;
mod visits;

use std::net::Ipv4Addr;
use std::sync::Arc;

use serde_json::json;
use tokio::net::TcpListener;

use super::{DemoError, demo_error};
use crate::clock::Clock;
use crate::config::{Config, OidcClient};
use crate::domain::secret::Secret;
use crate::rng::Rng;
use openid::Provider;
use visits::Visits;

/// The id of the client.
const ID: &str = "sample-app";
/// The name of the application, as the sign-in page and the application show it.
const NAME: &str = "Moonhill Fan Club";

/// The state that all requests of the application share.
struct SampleApp {
    provider: Provider,
    visits: Visits,
    rng: Rng,
}

/// Registers the application as a client of the site, and serves it until the process ends.
///
/// The host is an address, because cookies have no port: at `localhost` browsers would also send it the cookies of the
/// site.
pub(super) async fn start(config: &mut Config) -> Result<(), DemoError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.map_err(demo_error)?;
    let address = listener.local_addr().map_err(demo_error)?;
    let origin = format!("http://{address}");
    let secret = Secret::generate(&Rng::System);
    config.oidc.enabled = true;
    config.oidc.clients.retain(|client| client.id != ID);
    config.oidc.clients.push(client(&origin, &secret)?);
    let issuer = config.issuer().expect("the provider is on");
    let app = Arc::new(SampleApp {
        provider: Provider::new(issuer, origin, secret, Clock::System).map_err(demo_error)?,
        visits: Visits::default(),
        rng: Rng::System,
    });
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, pages::router(app)).await {
            tracing::error!(%error, "the demo's sample application has stopped");
        }
    });
    Ok(())
}

/// The address of the application, if the configuration has it.
pub(super) fn address(config: &Config) -> Option<&str> {
    let client = config.oidc_client(ID)?;
    client.redirect_uris.first()?.strip_suffix("callback")
}

/// The client, as an operator writes it into the configuration.
fn client(origin: &str, secret: &Secret) -> Result<OidcClient, DemoError> {
    let digest = secret.hash().map(|byte| format!("{byte:02x}")).concat();
    let written = json!({
        "id": ID,
        "name": NAME,
        "secret_sha256": digest,
        "redirect_uris": [format!("{origin}/callback")],
        "post_logout_redirect_uris": [format!("{origin}/signed-out")],
        "backchannel_logout_uri": format!("{origin}/backchannel-logout"),
    });
    serde_json::from_value(written).map_err(demo_error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn the_client_is_a_configuration_without_problems() {
        let secret = Secret::generate(&Rng::System);
        let mut config = Config::default();
        config.oidc.enabled = true;
        config.oidc.clients = vec![client("http://127.0.0.1:4000", &secret).unwrap()];
        assert_eq!(config::problems(&config), Vec::<String>::new());
        assert_eq!(address(&config), Some("http://127.0.0.1:4000/"));
        let digest = config.oidc.clients[0].secret_sha256.clone().unwrap();
        assert_eq!(*digest.bytes(), secret.hash());
    }
}
