//! The change that a mail with an undo link has reported, for the page behind the link.

use serde::Serialize;

use crate::accounts::change::{Change, change};
use crate::accounts::client::Client;
use crate::accounts::email::mailed_link::MailedLink;
use crate::app::App;
use crate::clock::serialize_time;
use crate::db::Result;
use crate::error::ApiError;
use crate::named_enum::{named_enum, serialize_as_name};
use crate::store::security_events::{self, StoredEvent};
use crate::store::tokens::{Purpose, Token};

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

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReportedChange {
    kind: ReportedChangeKind,
    /// The time of the change, RFC 3339 in UTC.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = String)]
    at: i64,
    /// The display name of the browser, such as "Firefox · Windows".
    device: String,
    /// The name of the passkey when it was added, because a thief can rename the passkey.
    name: Option<String>,
}

/// Returns the change that the mail with the link has reported, without redeeming the link. Returns `None` if the change
/// cannot be known: its event is no longer stored, or the mail was sent by an earlier version of the program.
pub(crate) async fn find(
    app: &App,
    client: &Client,
    link: &MailedLink,
) -> std::result::Result<Option<ReportedChange>, ApiError> {
    change(app, client, |mut change| async move {
        let token = link.find_live(&mut change, Purpose::CredentialUndo).await?;
        let reported = find_by_token(&mut change, &token).await?;
        link.commit(change, reported).await
    })
    .await
}

async fn find_by_token(change: &mut Change<'_>, token: &Token) -> Result<Option<ReportedChange>> {
    let events = security_events::list_at(change, token.subject_id, token.reported_at).await?;
    let mut changes = events.into_iter().filter_map(ReportedChange::of);
    // Of several changes in one millisecond, none is surely the change in the mail.
    Ok(changes.next().filter(|_| changes.next().is_none()))
}

impl ReportedChange {
    fn of(event: StoredEvent) -> Option<ReportedChange> {
        Some(ReportedChange {
            kind: ReportedChangeKind::from_name(&event.kind)?,
            at: event.at,
            device: event.device_name?,
            name: event.details["name"].as_str().map(str::to_owned),
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
