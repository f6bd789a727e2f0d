//! Reads the change that a mail with an undo link has reported, for the page that this link opens.

use serde::Serialize;
use uuid::Uuid;

use crate::accounts::mailed_link::MailedLink;
use crate::accounts::prelude::*;
use crate::clock::serialize_time;
use crate::db::Result;
use crate::domain::email;
use crate::named_enum::{named_enum, serialize_as_name};
use crate::store::pending_acts::{self, Act};
use crate::store::security_events::{self, StoredEvent};
use crate::store::tokens::{self, Purpose, Token};
use crate::store::{accounts, legacy};

named_enum! {
    /// The kinds of changes that mails with an undo link report. The names are those of `SecurityEvent`.
    pub(crate) enum ReportedChangeKind {
        PasskeyAdded = "passkey_added";
        SecondFactorEnabled = "second_factor_enabled";
        RecoveryCodesRegenerated = "recovery_codes_regenerated";
        SecondFactorResetRequested = "second_factor_reset_requested";
        DeletionRequested = "deletion_requested";
    }
}

serialize_as_name!(ReportedChangeKind);

/// The change or the deletion that a link can revert. Only the field for the kind of the link is set; all others are
/// null or absent.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct UndoDetails {
    /// The change that the mail of a credential undo link has reported, or null if it cannot be known.
    change: Option<ReportedChange>,
    /// The change that an email undo link reverts.
    #[serde(skip_serializing_if = "Option::is_none")]
    email_change: Option<ReportedEmailChange>,
    /// The time of the deletion that the link cancels, RFC 3339 in UTC.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_time"
    )]
    #[schema(value_type = Option<String>)]
    delete_at: Option<i64>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReportedEmailChange {
    /// The present email address of the account, masked.
    email: String,
    /// The time of the change, RFC 3339 in UTC.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = String)]
    at: i64,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReportedChange {
    kind: ReportedChangeKind,
    /// The time of the change, RFC 3339 in UTC.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = String)]
    at: i64,
    /// The display name of the browser, such as "Firefox · Windows".
    device: String,
    /// The name that the passkey had when it was added. An attacker can rename the passkey later.
    name: Option<String>,
    /// Whether the requested reset or deletion is no longer pending. False for the other kinds.
    over: bool,
}

/// Returns the change that the link undoes, without redeeming the link.
pub(crate) async fn find_undo_details(
    app: &App,
    client: &Client,
    link: &MailedLink,
) -> ApiResult<UndoDetails> {
    change(app, client, |mut change| async move {
        let details = find_details(&mut change, link).await?;
        link.commit(change, details).await
    })
    .await
}

async fn find_details(change: &mut Change<'_>, link: &MailedLink) -> ApiResult<UndoDetails> {
    let (hash, now) = (link.hash(), change.now);
    let mut details = UndoDetails::default();
    if let Some(token) = tokens::find_live(change, hash, Purpose::CredentialUndo, now).await? {
        details.change = find_reported_change(change, &token).await?;
    } else if let Some(token) = tokens::find_live(change, hash, Purpose::EmailUndo, now).await? {
        let email = find_current_email(change, token.subject_id).await?;
        details.email_change = Some(ReportedEmailChange {
            email: email::mask(&email.ok_or(ErrorCode::InvalidToken)?),
            at: token.reported_at,
        });
    } else {
        let token = link.find_live(change, Purpose::AccountRestore).await?;
        let deletion = pending_acts::find(change, token.subject_id, Act::Deletion, now).await?;
        details.delete_at = deletion.map(|deletion| deletion.due_at);
    }
    Ok(details)
}

/// Returns the present email address of an account or legacy account, which may have migrated since the email change.
/// Returns `None` if the account was deleted.
async fn find_current_email(change: &mut Change<'_>, subject: Uuid) -> Result<Option<String>> {
    if let Some(waiting) = legacy::find_unmigrated(change, subject).await? {
        return Ok(Some(waiting.email));
    }
    let migrated = legacy::find_account(change, subject).await?;
    let account = accounts::personal_details(change, migrated.unwrap_or(subject)).await?;
    Ok(account.map(|account| account.email))
}

/// Returns the change that the mail with the link has reported, or `None` if its event is not stored or not unique.
async fn find_reported_change(
    change: &mut Change<'_>,
    token: &Token,
) -> Result<Option<ReportedChange>> {
    let events = security_events::list_at(change, token.subject_id, token.reported_at).await?;
    let mut changes = events.into_iter().filter_map(ReportedChange::of);
    // If several events have the time in the mail, the mail may have reported any of them.
    let reported = changes.next().filter(|_| changes.next().is_none());
    let Some(mut reported) = reported else {
        return Ok(None);
    };
    reported.over = is_over(change, reported.kind, token).await?;
    Ok(Some(reported))
}

/// Returns whether the request that the mail has reported is no longer pending.
async fn is_over(change: &mut Change<'_>, kind: ReportedChangeKind, token: &Token) -> Result<bool> {
    use ReportedChangeKind as Kind;
    let (account, now) = (token.subject_id, change.now);
    Ok(match kind {
        Kind::SecondFactorResetRequested => {
            let pending = pending_acts::find(change, account, Act::FactorReset, now).await?;
            pending.is_none_or(|reset| reset.requested_at != token.reported_at)
        }
        Kind::DeletionRequested => {
            let pending = pending_acts::find(change, account, Act::Deletion, now).await?;
            pending.is_none()
        }
        Kind::PasskeyAdded | Kind::SecondFactorEnabled | Kind::RecoveryCodesRegenerated => false,
    })
}

impl ReportedChange {
    fn of(event: StoredEvent) -> Option<ReportedChange> {
        Some(ReportedChange {
            kind: ReportedChangeKind::from_name(&event.kind)?,
            at: event.at,
            device: event.device_name?,
            name: event.details["name"].as_str().map(str::to_owned),
            over: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::security_event::SecurityEvent;

    #[test]
    fn each_kind_is_a_security_event() {
        for kind in ReportedChangeKind::ALL {
            assert!(
                SecurityEvent::from_name(kind.as_str()).is_some(),
                "{kind:?}"
            );
        }
    }
}
