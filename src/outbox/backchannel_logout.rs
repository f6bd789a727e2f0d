//! Back-channel logout (OpenID Connect Back-Channel Logout 1.0), which reports the end of a session to the applications
//! that the session signed in to.

use serde::{Deserialize, Serialize};
use serde_json::json;
use url::{Url, form_urlencoded};
use uuid::Uuid;

use super::{Endpoint, RequestKind};
use crate::app::App;
use crate::config::OidcClient;
use crate::db::{Cause, Result, StoreError, Tx};
use crate::outgoing::http::DeliveryRequest;
use crate::store::app_sessions::ApplicationSession;
use crate::store::outbox::requests::QueuedRequest;

/// The type (`typ`) in the header of a logout token.
const LOGOUT_TOKEN_TYPE: &str = "logout+jwt";
/// The lifetime of a logout token, which is the maximum that OpenID Connect Back-Channel Logout 1.0 recommends (section
/// 4). Each attempt to send the logout message has a new token.
const TOKEN_LIFETIME_SECONDS: i64 = 120;

/// The queued details of an ended session.
#[derive(Serialize, Deserialize)]
struct EndedSession {
    sub: Uuid,
    sid: Uuid,
}

fn endpoint_key(client: &OidcClient) -> String {
    format!("backchannel:{}", client.id)
}

fn notified_clients(app: &App) -> impl Iterator<Item = (&OidcClient, &str)> {
    let clients = app
        .config
        .oidc
        .clients
        .iter()
        .filter(|_| app.config.oidc.enabled);
    clients.filter_map(|client| Some((client, client.backchannel_logout_uri.as_deref()?)))
}

pub(super) fn endpoints(app: &App) -> Vec<Endpoint> {
    let all = notified_clients(app).map(|(client, _)| Endpoint {
        key: endpoint_key(client),
        label: endpoint_key(client),
    });
    all.collect()
}

/// Queues the logout message for the application in the transaction that ends the session. An application without a
/// registered logout URL gets no message.
pub(crate) async fn queue(app: &App, tx: &mut Tx, ended: &ApplicationSession) -> Result<()> {
    let mut listeners = notified_clients(app);
    let Some((client, _)) = listeners.find(|(client, _)| client.id == ended.client_id) else {
        return Ok(());
    };
    let facts = EndedSession {
        sub: ended.account_id,
        sid: ended.sid,
    };
    super::queue_request(
        app,
        tx,
        RequestKind::BackchannelLogout,
        &endpoint_key(client),
        &facts,
        None,
    )
    .await
}

/// Returns the HTTP request with a new logout token. Returns `None` if the client has no logout URL any more, or if
/// only a newer version of this program understands the row.
pub(super) async fn compose(
    app: &App,
    endpoint: &str,
    queued: &QueuedRequest,
) -> Result<Option<DeliveryRequest>> {
    let mut listeners = notified_clients(app);
    let Some((client, uri)) = listeners.find(|(client, _)| endpoint_key(client) == endpoint) else {
        return Ok(None);
    };
    let (Ok(facts), Ok(url)) = (
        serde_json::from_str::<EndedSession>(&queued.facts),
        Url::parse(uri),
    ) else {
        return Ok(None);
    };
    let millis = app.clock.millis();
    let now = millis / 1000;
    let claims = json!({
        "iss": app.config.issuer(),
        "aud": client.id,
        "sub": facts.sub,
        "sid": facts.sid,
        "iat": now,
        "exp": now + TOKEN_LIFETIME_SECONDS,
        "jti": app.rng.id(millis),
        "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
    });
    let mut tx = app.store.read().await?;
    let signed = app
        .signing_keys
        .sign(&mut tx, client.id_token_alg, LOGOUT_TOKEN_TYPE, &claims);
    let token = signed
        .await
        .map_err(|error| StoreError::Other(Cause::of(error)))?;
    let mut body = form_urlencoded::Serializer::new(String::new());
    Ok(Some(DeliveryRequest {
        url,
        content_type: "application/x-www-form-urlencoded",
        headers: Vec::new(),
        body: body.append_pair("logout_token", &token).finish(),
        timeout: RequestKind::BackchannelLogout.timeout(),
    }))
}
