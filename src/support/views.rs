//! The views of support: the activity and the mails of an account, and the audit log.

use uuid::Uuid;

use super::audited::{SupportAction, SupportActor};
use super::lookup::{self, AccountKey, AccountOrLegacy};
use crate::app::App;
use crate::domain::list_page::ListPage;
use crate::error::ApiResult;
use crate::store::devices::{self, Device};
use crate::store::security_events::{self, StoredEvent};
use crate::store::sent_mails::{self, MailState};
use crate::store::sessions::{self, ListedSession};
use crate::store::support_audit::{self, AuditEntry};
use crate::store::support_view::{self, Bounce};

/// The maximum number of mails that the support view shows. The server log has an entry for each sent mail.
const MAX_SHOWN_MAILS: i64 = 100;
/// The maximum number of events, and of mails, that a command shows.
const MAX_SHOWN_ENTRIES: i64 = 50;

/// Returns the events of an account. The account's list of activity records that support has viewed them.
pub(crate) async fn activity(
    app: &App,
    actor: SupportActor<'_>,
    account: Uuid,
    before: Option<Uuid>,
    limit: u8,
) -> ApiResult<ListPage<StoredEvent>> {
    let key = &AccountKey::Id(account);
    let attempt = actor.attempt(SupportAction::ViewActivity, Some(key), None);
    let run = attempt.run(app, |mut change| async move {
        let subject = lookup::lock_subject(app, &mut change, key).await?;
        let mut change = change.audit(Some(subject.id()), None).await?;
        let more = ListPage::<StoredEvent>::rows_to_read(limit);
        let found = security_events::list(&mut change, subject.id(), before, more).await?;
        lookup::record_view(&mut change, &subject, attempt.action).await?;
        change
            .commit(ListPage::new(found, limit, |event| event.id))
            .await
    });
    run.await
}

/// Returns the mails of an account or legacy account, without texts. Marks the last mail before a bounce as bounced.
pub(crate) async fn mails(
    app: &App,
    actor: SupportActor<'_>,
    account: Uuid,
) -> ApiResult<Vec<MailState>> {
    let key = &AccountKey::Id(account);
    let attempt = actor.attempt(SupportAction::ViewMails, Some(key), None);
    let run = attempt.run(app, |mut change| async move {
        let subject = lookup::lock_subject(app, &mut change, key).await?;
        let mut change = change.audit(Some(subject.id()), None).await?;
        let mut found = sent_mails::list(&mut change, subject.id(), MAX_SHOWN_MAILS).await?;
        let bounced = match &subject {
            AccountOrLegacy::Account(account) => {
                support_view::find_bounce(&mut change, account.id).await?
            }
            AccountOrLegacy::Legacy(old) => {
                support_view::find_legacy_bounce(&mut change, old.id).await?
            }
        };
        if let Some(bounced) = bounced {
            mark_bounced(&mut found, &bounced);
        }
        lookup::record_view(&mut change, &subject, attempt.action).await?;
        change.commit(found).await
    });
    run.await
}

/// Marks the last mail sent before the bounce, because a bounce does not identify its mail. `mails` is newest first.
fn mark_bounced(mails: &mut [MailState], bounced: &Bounce) {
    let was_sent_before = |mail: &&mut MailState| mail.sent_at.is_some_and(|at| at <= bounced.at);
    if let Some(last) = mails.iter_mut().find(was_sent_before) {
        let status = bounced.status.as_deref().unwrap_or("no status");
        last.error = Some(format!("the address returns mails: {status}"));
    }
}

/// The details of an account that a command shows in addition to its summary.
pub(crate) struct SupportDetails {
    pub devices: Vec<Device>,
    pub sessions: Vec<ListedSession>,
    pub mails: Vec<MailState>,
    pub events: Vec<StoredEvent>,
}

/// Reads the details of an account. The lookup of the account is already in the audit log.
pub(crate) async fn support_details(app: &App, account: Uuid) -> ApiResult<SupportDetails> {
    let mut tx = app.store.read().await?;
    Ok(SupportDetails {
        devices: devices::list_enrolled(&mut tx, account).await?,
        sessions: sessions::list(&mut tx, account, app.clock.millis()).await?,
        mails: sent_mails::list(&mut tx, account, MAX_SHOWN_ENTRIES).await?,
        events: security_events::list(&mut tx, account, None, MAX_SHOWN_ENTRIES).await?,
    })
}

/// Returns the audit log, which also records each agent who reads it.
pub(crate) async fn audit(
    app: &App,
    actor: SupportActor<'_>,
    before: Option<Uuid>,
    limit: u8,
) -> ApiResult<ListPage<AuditEntry>> {
    let attempt = actor.attempt(SupportAction::ReadAudit, None, None);
    let run = attempt.run(app, |change| async move {
        let mut change = change.audit(None, None).await?;
        let more = ListPage::<AuditEntry>::rows_to_read(limit);
        let found = support_audit::list(&mut change, before, 0, more).await?;
        change
            .commit(ListPage::new(found, limit, |entry| entry.id))
            .await
    });
    run.await
}
