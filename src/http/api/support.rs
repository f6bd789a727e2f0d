//! The data for the support view: the agent, an account, its activity and mails, and the audit.

use uuid::Uuid;

use super::activity::ActivityQuery;
use super::prelude::*;
use crate::app::App;
use crate::clock::rfc3339;
use crate::domain::security_event::SecurityEvent;
use crate::domain::support_role::SupportRole;
use crate::http::extract::api_query::ApiQuery;
use crate::http::extract::path_id::PathId;
use crate::http::extract::support_agent::{AuditingAgent, SupportAgent};
use crate::mail::MailKind;
use crate::store::security_events::StoredEvent;
use crate::store::sent_mails::MailState;
use crate::store::support_audit::AuditEntry;
use crate::support::audited::SupportActor;
use crate::support::lookup::{self, AccountKey, AccountState, AccountSummary};
use crate::support::views;

/// An agent of the support view.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentBody {
    username: String,
    role: SupportRole,
}

/// Returns the agent of the session. A session without a support role gets 404.
#[utoipa::path(get, path = "/support/me",
    responses((status = 200, description = "The agent", body = AgentBody)))]
pub(crate) async fn support_me(SupportAgent(agent): SupportAgent) -> Json<AgentBody> {
    Json(AgentBody {
        username: agent.username().to_owned(),
        role: agent.role,
    })
}

/// The data of an account that an agent may see. Times have the format of RFC 3339, and days `YYYY-MM-DD`, both in UTC.
#[derive(Serialize, ToSchema)]
pub(crate) struct SupportAccount {
    id: Uuid,
    username: Option<String>,
    /// The email address, which is masked unless the query was this email address.
    email: String,
    state: AccountState,
    created_at: Option<String>,
    verified: bool,
    last_seen_day: Option<String>,
    region: Option<String>,
    /// The brand of the region, or null if the region is no longer configured.
    brand: Option<String>,
    language: Option<String>,
    devices: usize,
    passkeys: i64,
    second_factor: bool,
    deletion_at: Option<String>,
    /// Whether this is an unmigrated account of the older system.
    legacy: bool,
}

impl SupportAccount {
    fn new(app: &App, found: AccountSummary) -> SupportAccount {
        let mut regions = app.config.regions.iter();
        let region = regions.find(|region| Some(&region.id) == found.region.as_ref());
        SupportAccount {
            brand: region.map(|region| app.brand_name(region).into_owned()),
            id: found.id,
            username: found.username,
            email: found.email,
            state: found.state,
            created_at: found.created_at.map(rfc3339),
            verified: found.verified,
            // The first ten characters of an RFC 3339 time are the day.
            last_seen_day: found.last_seen_at.map(|at| rfc3339(at)[..10].to_owned()),
            region: found.region,
            language: found.language.map(|language| language.code().to_owned()),
            devices: found.devices,
            passkeys: found.passkeys,
            second_factor: found.second_factor,
            deletion_at: found.deletion_at.map(rfc3339),
            legacy: found.state == AccountState::Legacy,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct FoundAccount {
    account: Option<SupportAccount>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AccountQuery {
    /// A complete email address, username or id.
    query: String,
}

/// Looks an account up by its exact email address, username or id. The audit records every lookup.
#[utoipa::path(get, path = "/support/accounts",
    params(AccountQuery),
    responses((status = 200, description = "One account or none", body = FoundAccount)))]
pub(crate) async fn support_find(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    ApiQuery(AccountQuery { query }): ApiQuery<AccountQuery>,
) -> ApiResult<Json<FoundAccount>> {
    if query.trim().is_empty() {
        return Err(ErrorCode::BadRequest.into());
    }
    let key = AccountKey::parse(&query);
    let found = lookup::find(&app, SupportActor::Agent(&agent), key.as_ref()).await?;
    Ok(Json(FoundAccount {
        account: found.map(|found| SupportAccount::new(&app, found)),
    }))
}

/// An event of an account, without its network.
#[derive(Serialize, ToSchema)]
pub(crate) struct SupportEvent {
    id: Uuid,
    kind: SecurityEvent,
    at: String,
    device: Option<String>,
    actor: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SupportEvents {
    events: Vec<SupportEvent>,
    /// The value of the parameter `before` for the next page. Null at the end of the list.
    next: Option<Uuid>,
}

impl SupportEvent {
    /// Returns `None` if a later version of the program has stored the event, and this version does not know its kind.
    fn new(event: StoredEvent) -> Option<SupportEvent> {
        Some(SupportEvent {
            kind: SecurityEvent::from_name(&event.kind)?,
            id: event.id,
            at: rfc3339(event.at),
            device: event.device_name,
            actor: event.actor,
        })
    }
}

/// Lists the security events of an account. The person's list of activity shows that support has viewed the account.
#[utoipa::path(get, path = "/support/accounts/{id}/activity",
    params(("id" = Uuid, Path, description = "An account"), ActivityQuery),
    responses((status = 200, description = "A part of the list", body = SupportEvents)))]
pub(crate) async fn support_activity(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    PathId(id): PathId,
    ApiQuery(query): ApiQuery<ActivityQuery>,
) -> ApiResult<Json<SupportEvents>> {
    let actor = SupportActor::Agent(&agent);
    let part = views::activity(&app, actor, id, query.before, query.max_entries()).await?;
    let events = part.entries.into_iter();
    Ok(Json(SupportEvents {
        events: events.filter_map(SupportEvent::new).collect(),
        next: part.next,
    }))
}

/// A mail of an account, without its text and email address.
#[derive(Serialize, ToSchema)]
pub(crate) struct SupportMail {
    kind: MailKind,
    queued_at: String,
    sent_at: Option<String>,
    failed_at: Option<String>,
    error: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SupportMails {
    mails: Vec<SupportMail>,
}

impl SupportMail {
    /// Returns `None` if a later version of the program has stored the mail, and this version does not know its kind.
    fn new(mail: MailState) -> Option<SupportMail> {
        Some(SupportMail {
            kind: MailKind::from_name(&mail.kind)?,
            queued_at: rfc3339(mail.queued_at),
            sent_at: mail.sent_at.map(rfc3339),
            failed_at: mail.failed_at.map(rfc3339),
            error: mail.error.as_deref().map(without_addresses),
        })
    }
}

/// Removes email addresses from the response of a mail server, which often repeats them.
fn without_addresses(error: &str) -> String {
    let parts = error.split(' ');
    let masked = parts.map(|word| if word.contains('@') { "…" } else { word });
    masked.collect::<Vec<_>>().join(" ")
}

/// Lists the mails of an account with their kinds and times. The person's list of activity shows this view.
#[utoipa::path(get, path = "/support/accounts/{id}/mails",
    params(("id" = Uuid, Path, description = "An account")),
    responses((status = 200, description = "The mails, the newest first", body = SupportMails)))]
pub(crate) async fn support_mails(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    PathId(id): PathId,
) -> ApiResult<Json<SupportMails>> {
    let found = views::mails(&app, SupportActor::Agent(&agent), id).await?;
    Ok(Json(SupportMails {
        mails: found.into_iter().filter_map(SupportMail::new).collect(),
    }))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SupportAuditEntry {
    id: Uuid,
    at: String,
    /// The username of an agent, or `cli:` and the name of the operating system's user.
    actor: String,
    action: String,
    account: Option<Uuid>,
    reason: Option<String>,
    /// The error code of an action that was refused. Null if the action was performed.
    refusal: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SupportAudit {
    entries: Vec<SupportAuditEntry>,
    /// The value of the parameter `before` for the next page. Null at the end of the list.
    next: Option<Uuid>,
}

impl From<AuditEntry> for SupportAuditEntry {
    fn from(entry: AuditEntry) -> SupportAuditEntry {
        SupportAuditEntry {
            id: entry.id,
            at: rfc3339(entry.at),
            actor: entry.actor(),
            action: entry.action,
            account: entry.account_id,
            reason: entry.reason,
            refusal: entry.refusal,
        }
    }
}

/// Lists the actions of agents and operators, newest first. Requires the role `admin`.
#[utoipa::path(get, path = "/support/audit",
    params(ActivityQuery),
    responses((status = 200, description = "A part of the audit", body = SupportAudit)))]
pub(crate) async fn support_audit(
    State(app): State<SharedApp>,
    AuditingAgent(agent): AuditingAgent,
    ApiQuery(query): ApiQuery<ActivityQuery>,
) -> ApiResult<Json<SupportAudit>> {
    let actor = SupportActor::Agent(&agent);
    let part = views::audit(&app, actor, query.before, query.max_entries()).await?;
    Ok(Json(SupportAudit {
        entries: part
            .entries
            .into_iter()
            .map(SupportAuditEntry::from)
            .collect(),
        next: part.next,
    }))
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn the_error_of_a_mail_shows_no_address() {
        let error = "550 5.1.1 <ada@example.org>: user unknown";
        assert_eq!(without_addresses(error), "550 5.1.1 … user unknown");
    }
}
