//! The list of the account's recent activity, and the report "That wasn't me".

use std::num::NonZeroU64;

use uuid::Uuid;

use super::prelude::*;
use crate::accounts::activity;
use crate::clock::rfc3339;
use crate::domain::secret::SecretHash;
use crate::domain::security_event::SecurityEvent;
use crate::http::extract::api_query::ApiQuery;
use crate::http::extract::path_id::PathId;
use crate::store::security_events::StoredEvent;

const DEFAULT_PAGE_ENTRIES: u8 = 30;
const MAX_PAGE_ENTRIES: u8 = 100;

/// An entry of the account's list of recent activity.
#[derive(Serialize, ToSchema)]
pub(crate) struct ActivityEvent {
    id: Uuid,
    kind: SecurityEvent,
    /// The time of the event, RFC 3339 in UTC.
    at: String,
    /// The display name of the browser, such as "Firefox · Windows", or of the device that was approved, refused or
    /// signed out.
    device: Option<String>,
    /// The network of the IP address: a /24 or a /48, such as `203.0.113.0/24`.
    network: Option<String>,
    /// Whether the event happened in the browser of this request. False if `device` was approved, refused or signed
    /// out.
    current: bool,
    /// Who caused the event: `self`, `support` or `system`.
    actor: String,
    /// Details that depend on the kind of event, such as `methods` of a sign-in or `reason` of a blocked sign-in.
    #[schema(value_type = Object)]
    details: serde_json::Value,
}

impl ActivityEvent {
    /// Returns `None` if a later version of the program has stored the event, and this version does not know its kind.
    fn from_stored(event: StoredEvent, own_device: Option<&SecretHash>) -> Option<ActivityEvent> {
        // Otherwise the browser in which the owner decided would be listed as the approved or refused device.
        let concerned = event.details.get("device");
        let concerned = concerned.map(|name| name.as_str().map(str::to_owned));
        Some(ActivityEvent {
            kind: SecurityEvent::from_name(&event.kind)?,
            current: concerned.is_none()
                && own_device.is_some()
                && event.device_hash.as_ref() == own_device,
            id: event.id,
            at: rfc3339(event.at),
            device: concerned.unwrap_or(event.device_name),
            network: event.network,
            actor: event.actor,
            details: event.details,
        })
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Activity {
    /// The events, the newest first.
    events: Vec<ActivityEvent>,
    /// The value of the parameter `before` for the next page. Null at the end of the list.
    next: Option<Uuid>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ActivityQuery {
    /// The value of `next` in the response with the previous page.
    pub(super) before: Option<Uuid>,
    /// The maximum number of entries in the response. Larger values count as 100. Default: 30.
    #[param(minimum = 1, value_type = Option<u8>)]
    limit: Option<NonZeroU64>,
}

impl ActivityQuery {
    pub(super) fn max_entries(&self) -> u8 {
        let limit = self
            .limit
            .map_or(DEFAULT_PAGE_ENTRIES.into(), NonZeroU64::get);
        limit.min(MAX_PAGE_ENTRIES.into()) as u8
    }
}

/// Lists the security events of the account.
#[utoipa::path(get, path = "/activity",
    params(ActivityQuery),
    responses((status = 200, description = "A part of the list", body = Activity)))]
pub(crate) async fn activity(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    ApiQuery(query): ApiQuery<ActivityQuery>,
) -> ApiResult<Json<Activity>> {
    let page = activity::list(&app, &signed_in, query.before, query.max_entries()).await?;
    let own = client.device_cookie.as_ref().map(|cookie| cookie.hash());
    let events = page.entries.into_iter();
    Ok(Json(Activity {
        events: events
            .filter_map(|event| ActivityEvent::from_stored(event, own.as_ref()))
            .collect(),
        next: page.next,
    }))
}

/// Removes the device of a sign-in that the owner does not recognise and ends its sessions. Cancels a pending email
/// change and a pending reset of the second factor.
#[utoipa::path(post, path = "/activity/{id}/not-me",
    params(("id" = Uuid, Path, description = "The id of a sign-in in the list")),
    responses((status = 200, description = "The device is removed", body = MessageBody)))]
pub(crate) async fn disown_sign_in(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    PathId(id): PathId,
) -> ApiResult<impl IntoResponse> {
    activity::disown_sign_in(&app, &client, &signed_in, id).await?;
    Ok(MessageBody::new(Message::AnswerSignInDisowned, &client))
}
