//! A write transaction, with the app, the time and the actor that every change of an account needs.

use std::ops::{Deref, DerefMut};

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::client::Client;
use crate::app::App;
use crate::db::conflict::{Committed, MayConflict};
use crate::db::{self, Durability, StoreError, Tx};
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::webhook_event::EventType;
use crate::error::ApiResult;
use crate::mail::{self, MailDetails, MailKind, OutgoingMail};
use crate::outbox::webhook;
use crate::rate_limit::LimitedAction;
use crate::store::account_emails::{self, Departure, ProvedEmail};
use crate::store::account_states;
use crate::store::accounts::Account;

/// A write transaction that changes an account. `Change` dereferences to `Tx`, which the functions of `store` take.
pub(crate) struct Change<'a> {
    pub app: &'a App,
    /// The time of the change, in milliseconds since 1970 UTC.
    pub now: i64,
    pub(super) actor: Actor<'a>,
    /// The hash of the device cookie that the response sets, if it differs from the cookie in the request.
    pub(super) new_device: Option<SecretHash>,
    /// Whether the change undoes another, so that it tells no former mailbox of what it ends.
    pub(super) is_undo: bool,
    tx: Tx,
}

/// Runs `work` in a transaction whose commit survives power loss. A request without a session looks its subject up with
/// a read first, and begins a change only if the subject exists or if a rate limit counts the request: a change takes
/// the only writer of SQLite, and waits for synchronous standbys of PostgreSQL. Repeats `work` if the transaction
/// conflicts with a parallel transaction, so all effects of `work` outside the database must be safe to repeat.
pub(crate) async fn change<'a, T, E, F>(
    app: &'a App,
    actor: impl Into<Actor<'a>>,
    work: impl Fn(Change<'a>) -> F,
) -> Result<T, E>
where
    E: MayConflict + From<StoreError>,
    F: Future<Output = Result<Committed<T>, E>>,
{
    change_with_durability(app, actor, Durability::PowerLoss, work).await
}

/// Runs `work` like [`change`], but its commit survives only the failures that `durability` specifies.
pub(crate) async fn change_with_durability<'a, T, E, F>(
    app: &'a App,
    actor: impl Into<Actor<'a>>,
    durability: Durability,
    work: impl Fn(Change<'a>) -> F,
) -> Result<T, E>
where
    E: MayConflict + From<StoreError>,
    F: Future<Output = Result<Committed<T>, E>>,
{
    let actor = actor.into();
    let begin = |tx| Change {
        app,
        now: app.clock.millis(),
        actor,
        new_device: None,
        is_undo: false,
        tx,
    };
    let transaction = app
        .store
        .transaction(&app.rng, durability, |tx| work(begin(tx)));
    transaction.await
}

/// Queues a mail that tells the account's owner the time of the change.
pub(crate) async fn notify_now(
    change: &mut Change<'_>,
    account: &Account,
    kind: MailKind,
) -> db::Result<()> {
    let notice = OutgoingMail::to(account, kind).at(change.now);
    change.queue_mail(notice).await
}

/// Queues a mail with these details.
pub(crate) async fn notify(
    change: &mut Change<'_>,
    account: &Account,
    kind: MailKind,
    details: MailDetails,
) -> db::Result<()> {
    let to = OutgoingMail::to(account, kind);
    change.queue_mail(OutgoingMail { details, ..to }).await
}

impl<'a> Change<'a> {
    /// Replaces the actor that the security events of this change record.
    pub(crate) fn caused_by(self, actor: Actor<'a>) -> Change<'a> {
        Change { actor, ..self }
    }

    /// Counts the actions against their rate limits, in order. If an action exceeds its limit, commits the counts and
    /// returns status 429, so that no caller can roll back the count of a refused action.
    pub(crate) async fn admit(self, actions: &[LimitedAction<'_>]) -> ApiResult<Change<'a>> {
        let limiter = &self.app.rate_limiter;
        let tx = limiter.admit(self.tx, actions, self.now).await?;
        Ok(Change { tx, ..self })
    }

    /// Names the device cookie that the response sets, by which the events of this change identify the device.
    pub(crate) fn set_device(&mut self, cookie: &Secret) {
        self.new_device = Some(cookie.hash());
    }

    /// Returns the time and the browser of this change, as mails report them.
    pub(crate) fn details(&self) -> MailDetails {
        MailDetails {
            at: Some(self.now),
            device: self.device_name(),
            ..MailDetails::default()
        }
    }

    pub(crate) fn new_id(&self) -> Uuid {
        self.app.rng.id(self.now)
    }

    /// Takes the number of a change of the account, whose row is locked. The redemption of an undo link compares these
    /// numbers to order the changes of the account.
    pub(crate) async fn next_number(&mut self, account: &Account) -> db::Result<i64> {
        let now = self.now;
        account_states::take_change_number(self, account.id, now).await
    }

    /// Sets the email address of an account whose row is locked. Returns the number of this change, or
    /// `StoreError::UniqueViolation` if another account has the address.
    pub(crate) async fn set_email(
        &mut self,
        account: &Account,
        new: &ProvedEmail,
        departure: Departure,
    ) -> db::Result<i64> {
        let number = self.next_number(account).await?;
        let (hasher, now) = (&self.app.username_hasher, self.now);
        account_emails::replace(self, hasher, account, new, departure, number, now).await?;
        Ok(number)
    }

    /// Returns the display name of the browser that causes the change, or `None` if no person causes it.
    pub(crate) fn device_name(&self) -> Option<String> {
        self.actor.client().map(Client::device_name)
    }

    /// Sets the mail's region to that of the HTTP request, because the browser's cookies belong to its host.
    fn in_region_of_request<'m>(&self, outgoing: OutgoingMail<'m>) -> OutgoingMail<'m>
    where
        'a: 'm,
    {
        let client = self.actor.client();
        OutgoingMail {
            region: client.map_or(outgoing.region, |client| &client.region),
            ..outgoing
        }
    }

    /// Queues a mail. See [`mail::queue`] for the earlier mails that it replaces, and for mails that are not queued.
    pub(crate) async fn queue_mail(&mut self, outgoing: OutgoingMail<'_>) -> db::Result<()> {
        if self.is_undo {
            return self.schedule_mail(outgoing, self.now).await;
        }
        let outgoing = self.in_region_of_request(outgoing);
        mail::queue(self.app, &mut self.tx, outgoing).await
    }

    /// Queues the first mail to a new account, without a search for earlier mails that the mail would replace.
    pub(crate) async fn queue_first_mail(&mut self, outgoing: OutgoingMail<'_>) -> db::Result<()> {
        let outgoing = self.in_region_of_request(outgoing);
        mail::queue_first(self.app, &mut self.tx, outgoing).await
    }

    /// Queues a mail that is sent at the given time, in milliseconds since 1970 UTC.
    pub(crate) async fn schedule_mail(
        &mut self,
        outgoing: OutgoingMail<'_>,
        send_at: i64,
    ) -> db::Result<()> {
        let outgoing = self.in_region_of_request(outgoing);
        mail::schedule(self.app, &mut self.tx, outgoing, send_at).await
    }

    /// Queues webhooks about a change that is not a security event. `fields` lists the fields changed by an update.
    pub(crate) async fn queue_webhooks(
        &mut self,
        event: EventType,
        account: Uuid,
        fields: &[&str],
    ) -> db::Result<()> {
        webhook::queue(self.app, &mut self.tx, event, account, fields).await
    }

    /// Queues the webhooks about the removal of an account whose email address was never verified.
    pub(crate) async fn report_removed_registration(&mut self, account: Uuid) -> db::Result<()> {
        webhook::queue_removed_registration(self.app, &mut self.tx, account).await
    }

    pub(crate) async fn commit<T, E: From<StoreError>>(self, value: T) -> Result<Committed<T>, E> {
        self.tx.commit_with(value).await
    }

    /// Commits the rows of a refused request, such as a counted attempt. Returns `refusal`, or the error of the commit.
    pub(crate) async fn commit_refusal<E: From<StoreError>>(self, refusal: impl Into<E>) -> E {
        match self.tx.commit().await {
            Ok(()) => refusal.into(),
            Err(error) => error.into(),
        }
    }
}

impl Deref for Change<'_> {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.tx
    }
}

impl DerefMut for Change<'_> {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.tx
    }
}
