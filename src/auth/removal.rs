//! The removal of strong factors. Only these functions remove one, because an account that loses its last one also
//! loses its role and a pending reset.

use serde_json::json;
use uuid::Uuid;

use super::second_factor::reset;
use super::strong_factor;
use crate::app::App;
use crate::auth::client::Client;
use crate::auth::security_log::{Actor, Event};
use crate::db::Tx;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::accounts::Account;
use crate::store::support_audit::{self, NewAuditEntry};
use crate::store::{credentials, devices, recovery_codes, sign_in_challenges, support_roles, totp};

/// A removal of strong factors of a locked account.
pub(crate) struct Removal<'a> {
    app: &'a App,
    client: &'a Client,
    account: &'a Account,
    cookie: Option<&'a Secret>,
}

impl<'a> Removal<'a> {
    pub(crate) fn new(app: &'a App, client: &'a Client, account: &'a Account) -> Removal<'a> {
        Removal {
            app,
            client,
            account,
            cookie: None,
        }
    }

    /// Names the browser in the reports by the device cookie that the response gives it.
    pub(crate) fn with_cookie(mut self, cookie: &'a Secret) -> Removal<'a> {
        self.cookie = Some(cookie);
        self
    }

    /// Removes one passkey. 404 if the account does not have it.
    pub(crate) async fn passkey(&self, tx: &mut Tx, id: Uuid) -> Result<(), ApiError> {
        let removed = credentials::remove(tx, self.account.id, id).await?;
        let name = removed.ok_or(ErrorCode::NotFound)?;
        self.report_passkeys(tx, &[name]).await?;
        self.end_dependents(tx).await
    }

    /// Turns the authenticator app off. Does nothing if it is off.
    pub(crate) async fn authenticator_app(&self, tx: &mut Tx) -> Result<(), ApiError> {
        if totp::remove(tx, self.account.id).await? {
            self.report_app(tx, true).await?;
        }
        reset::cancel(self.app, tx, self.client, self.account).await?;
        self.end_dependents(tx).await
    }

    /// Removes every factor with this change number or a later one, and cancels a pending reset.
    pub(crate) async fn since(&self, tx: &mut Tx, number: i64) -> Result<(), ApiError> {
        let account = self.account.id;
        let passkeys = credentials::remove_since(tx, account, number).await?;
        self.report_passkeys(tx, &passkeys).await?;
        recovery_codes::remove_since(tx, account, number).await?;
        if totp::remove_since(tx, account, number).await? {
            self.report_app(tx, true).await?;
        }
        reset::cancel(self.app, tx, self.client, self.account).await?;
        self.end_dependents(tx).await
    }

    /// Removes every factor at the end of a reset, whose own event the caller records.
    pub(crate) async fn all(&self, tx: &mut Tx) -> Result<(), ApiError> {
        let passkeys = credentials::remove_all(tx, self.account.id).await?;
        self.report_passkeys(tx, &passkeys).await?;
        if totp::remove(tx, self.account.id).await? {
            self.report_app(tx, false).await?;
        }
        self.end_dependents(tx).await
    }

    async fn record(&self, tx: &mut Tx, event: Event<'_>) -> Result<(), ApiError> {
        let event = match self.cookie {
            Some(cookie) => event.device(cookie),
            None => event,
        };
        Ok(event.record(self.app, tx).await?)
    }

    /// Records the removal of the passkeys with these names, and mails a notice if there are any.
    async fn report_passkeys(&self, tx: &mut Tx, names: &[String]) -> Result<(), ApiError> {
        for name in names {
            let event = Event::new(SecurityEvent::PasskeyRemoved, self.account.id, self.client);
            self.record(tx, event.details(json!({"name": name})))
                .await?;
        }
        match names {
            [] => Ok(()),
            _ => self.notify(tx, MailKind::PasskeyRemoved).await,
        }
    }

    /// Ends the data that depends on the removed app, and mails a notice.
    async fn report_app(&self, tx: &mut Tx, is_recorded: bool) -> Result<(), ApiError> {
        let account = self.account.id;
        recovery_codes::remove_all(tx, account).await?;
        devices::end_trust(tx, account).await?;
        sign_in_challenges::end_all(tx, account).await?;
        mail::end_link(tx, account, MailKind::SecondFactorResetReady).await?;
        if is_recorded {
            let event = Event::new(
                SecurityEvent::SecondFactorDisabled,
                self.account.id,
                self.client,
            );
            self.record(tx, event).await?;
        }
        self.notify(tx, MailKind::SecondFactorDisabled).await
    }

    async fn notify(&self, tx: &mut Tx, kind: MailKind) -> Result<(), ApiError> {
        let notice = OutgoingMail::to(self.account, kind).at(self.app.clock.millis());
        Ok(mail::queue(self.app, tx, notice).await?)
    }

    /// Ends what needs a strong factor, once the account has none.
    async fn end_dependents(&self, tx: &mut Tx) -> Result<(), ApiError> {
        let account = self.account.id;
        if strong_factor::exists(self.app, tx, account).await? {
            return Ok(());
        }
        reset::cancel(self.app, tx, self.client, self.account).await?;
        if !support_roles::revoke(tx, account).await? {
            return Ok(());
        }
        let now = self.app.clock.millis();
        let entry = NewAuditEntry {
            id: self.app.rng.id(now),
            at: now,
            operator: None,
            agent_id: None,
            action: "revoke",
            account_id: Some(account),
            reason: Some("the account has no passkey and no authenticator app"),
            refusal: None,
        };
        let receipt = support_audit::insert(tx, &entry).await?;
        tx.on_commit(move || {
            tracing::warn!(target: "security", event = "support", action = "revoke", %account);
        });
        let event = Event::by_actor(
            SecurityEvent::SupportActed,
            account,
            Actor::Support(receipt),
        );
        let event = event.details(json!({"action": "revoke"}));
        event.record(self.app, tx).await?;
        self.notify(tx, MailKind::SupportRoleEnded).await
    }
}
