//! Removes strong factors. Only this file removes them, because an account without a strong factor also loses its
//! support role, its pending reset of strong factors and the authentication level of its sessions.

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::change::{Change, notify_now};
use crate::accounts::pending::{self, Cause};
use crate::accounts::security_log::{Event, EventDetail};
use crate::accounts::strong_factor;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail::MailKind;
use crate::store::accounts::Account;
use crate::store::support_audit::{self, NewAuditEntry};
use crate::store::{
    credentials, devices, recovery_codes, sessions, sign_in_challenges, support_roles, totp,
};

/// A removal of strong factors of an account whose row is locked.
pub(crate) struct Removal<'a> {
    account: &'a Account,
    cookie: Option<&'a Secret>,
}

impl<'a> Removal<'a> {
    pub(crate) fn of(account: &'a Account) -> Removal<'a> {
        Removal {
            account,
            cookie: None,
        }
    }

    /// Sets the device cookie that the response gives the browser, so that the recorded events name the browser.
    pub(crate) fn with_cookie(mut self, cookie: &'a Secret) -> Removal<'a> {
        self.cookie = Some(cookie);
        self
    }

    /// Removes one passkey. Returns 404 if the account does not have this passkey.
    pub(crate) async fn remove_passkey(
        &self,
        change: &mut Change<'_>,
        id: Uuid,
    ) -> Result<(), ApiError> {
        let removed = credentials::remove(change, self.account.id, id).await?;
        let name = removed.ok_or(ErrorCode::NotFound)?;
        self.notify_of_removed_passkeys(change, &[name]).await?;
        self.end_dependents(change).await
    }

    /// Turns the authenticator app off, if it is on.
    pub(crate) async fn remove_app(&self, change: &mut Change<'_>) -> Result<(), ApiError> {
        if totp::remove(change, self.account.id).await? {
            self.report_app(change, true).await?;
        }
        // The owner has proved a strong factor for this removal.
        pending::stop_by(change, self.account, Cause::StrongProof).await?;
        self.end_dependents(change).await
    }

    /// Removes every strong factor whose change number is at least `number`.
    pub(crate) async fn remove_since(
        &self,
        change: &mut Change<'_>,
        number: i64,
    ) -> Result<(), ApiError> {
        let account = self.account.id;
        let passkeys = credentials::remove_since(change, account, number).await?;
        self.notify_of_removed_passkeys(change, &passkeys).await?;
        recovery_codes::remove_since(change, account, number).await?;
        if totp::remove_since(change, account, number).await? {
            self.report_app(change, true).await?;
        }
        self.end_dependents(change).await
    }

    /// Removes every strong factor at the end of a reset. The caller records the event of the reset.
    pub(crate) async fn remove_all(&self, change: &mut Change<'_>) -> Result<(), ApiError> {
        let passkeys = credentials::remove_all(change, self.account.id).await?;
        self.notify_of_removed_passkeys(change, &passkeys).await?;
        if totp::remove(change, self.account.id).await? {
            self.report_app(change, false).await?;
        }
        self.end_dependents(change).await
    }

    async fn record(&self, change: &mut Change<'_>, event: Event<'_>) -> Result<(), ApiError> {
        let event = match self.cookie {
            Some(cookie) => event.device(cookie),
            None => event,
        };
        Ok(change.record(event).await?)
    }

    /// Records each removed passkey by its name, and mails one notice if there are any.
    async fn notify_of_removed_passkeys(
        &self,
        change: &mut Change<'_>,
        names: &[String],
    ) -> Result<(), ApiError> {
        for name in names {
            let event = Event::new(SecurityEvent::PasskeyRemoved, self.account.id);
            self.record(change, event.detail(EventDetail::Name(name)))
                .await?;
        }
        match names {
            [] => Ok(()),
            _ => Ok(notify_now(change, self.account, MailKind::PasskeyRemoved).await?),
        }
    }

    /// Removes the data that depends on the authenticator app, and mails a notice. Records the event if `is_recorded`.
    async fn report_app(&self, change: &mut Change<'_>, is_recorded: bool) -> Result<(), ApiError> {
        let account = self.account.id;
        recovery_codes::remove_all(change, account).await?;
        devices::end_trust(change, account).await?;
        sign_in_challenges::end_all(change, account).await?;
        if is_recorded {
            let event = Event::new(SecurityEvent::SecondFactorDisabled, self.account.id);
            self.record(change, event).await?;
        }
        Ok(notify_now(change, self.account, MailKind::SecondFactorDisabled).await?)
    }

    /// Removes the support role, the pending reset and the level of the sessions if the account has no strong factor
    /// left.
    async fn end_dependents(&self, change: &mut Change<'_>) -> Result<(), ApiError> {
        let account = self.account.id;
        if strong_factor::exists(change.app, change, account).await? {
            return Ok(());
        }
        pending::stop_by(change, self.account, Cause::NoStrongFactor).await?;
        sessions::end_level_two(change, account).await?;
        if !support_roles::revoke(change, account).await? {
            return Ok(());
        }
        let entry = NewAuditEntry {
            id: change.new_id(),
            at: change.now,
            operator: None,
            agent_id: None,
            action: "revoke",
            account_id: Some(account),
            reason: Some("the account has no passkey and no authenticator app"),
            refusal: None,
        };
        let receipt = support_audit::insert(change, &entry).await?;
        change.on_commit(move || {
            tracing::warn!(target: "security", event = "support", action = "revoke", %account);
        });
        let event = Event::new(SecurityEvent::SupportActed, account);
        let event = event.detail(EventDetail::Action("revoke"));
        change.record_as(Actor::Support(receipt), event).await?;
        Ok(notify_now(change, self.account, MailKind::SupportRoleEnded).await?)
    }
}
