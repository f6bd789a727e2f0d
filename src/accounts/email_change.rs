//! Change of the email address: requested in a session, confirmed from the new mailbox, undone from the old one.

use super::deletion;
use crate::app::App;
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::auth::reauthentication;
use crate::auth::removal::Removal;
use crate::auth::second_factor::reset;
use crate::auth::security_log::{Actor, Event};
use crate::auth::session::{SignedIn, SignedInChange};
use crate::auth::session_end;
use crate::auth::timing::with_min_duration;
use crate::auth::unverified;
use crate::config::Profile;
use crate::db::conflict::retry_on_conflict;
use crate::db::{StoreError, Tx};
use crate::domain::email::{self, Email};
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::legacy::email_change as legacy_email;
use crate::mail::{self, MailDetails, MailKind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, Account};
use crate::store::tokens::{Purpose, Redemption, Token};
use crate::store::{credentials, devices, legacy};

/// Mails a link to the new address. The address changes when the link is opened.
pub(crate) async fn request(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    email: &Email,
) -> Result<(), ApiError> {
    reauthentication::require_in_strict_profile(app, client, signed_in).await?;
    let requested = retry_on_conflict(&app.rng, || request_once(app, client, signed_in, email));
    with_min_duration(requested)
        .await
        .map_err(with_email_taken_message)
}

async fn request_once(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    email: &Email,
) -> Result<(), ApiError> {
    let SignedInChange { tx, account, .. } = signed_in.begin_change(app).await?;
    let (id, now) = (account.id, app.clock.millis());
    let actions = [LimitedAction::EmailChange(id)];
    let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
    let queued = queue_mails(app, &mut tx, &account, email).await?;
    if queued.is_ok() {
        let event = Event::new(SecurityEvent::EmailChangeRequested, id, client);
        event.record(app, &mut tx).await?;
    }
    tx.commit().await?;
    Ok(queued?)
}

/// Mails the new address. If it is taken, profile `spec` returns an error and profile `strict` mails
/// its owner instead.
async fn queue_mails(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    email: &Email,
) -> Result<Result<(), ErrorCode>, StoreError> {
    // Another spelling is a change, because mails go to the address as spelled.
    if account.email == email.as_entered() {
        return Ok(Err(ErrorCode::EmailUnchanged));
    }
    // For a taken address too: a valid earlier link would reveal that the address is taken.
    mail::end_link(tx, account.id, MailKind::ConfirmNewEmail).await?;
    let owner = accounts::by_email(tx, email.key()).await?;
    let owner = owner.filter(|owner| owner.id != account.id);
    let legacy_account = legacy::unmigrated_by_email(tx, email.key()).await?;
    let strict = app.config.security.profile == Profile::Strict;
    if !strict && (owner.is_some() || legacy_account.is_some()) {
        return Ok(Err(ErrorCode::AccountExists));
    }
    let outgoing = match (&owner, &legacy_account) {
        (Some(owner), _) => OutgoingMail::to(owner, MailKind::EmailAddressTaken),
        (None, Some(old)) => OutgoingMail {
            kind: MailKind::EmailAddressTaken,
            subject_id: old.id,
            recipient: &old.email,
            language: account.language,
            region: &account.region,
            details: MailDetails::default(),
        },
        (None, None) => OutgoingMail {
            recipient: email.as_entered(),
            ..OutgoingMail::to(account, MailKind::ConfirmNewEmail)
        },
    };
    mail::queue(app, tx, outgoing).await?;
    Ok(Ok(()))
}

/// Changes the address with the link from the new mailbox. Sessions continue; the old mailbox receives a link that
/// undoes the change. Returns the new address.
pub(crate) async fn confirm(
    app: &App,
    client: &Client,
    link: &MailedLink,
) -> Result<String, ApiError> {
    let confirmed = retry_on_conflict(&app.rng, || confirm_once(app, client, link)).await;
    let token = confirmed.map_err(with_email_taken_message)?;
    Ok(token.email.unwrap_or_default())
}

/// Changes the address in one transaction. Returns the token that confirmed it.
async fn confirm_once(app: &App, client: &Client, link: &MailedLink) -> Result<Token, ApiError> {
    let mut tx = app.store.write().await?;
    let token = match link
        .redeem_again(app, &mut tx, Purpose::EmailChange)
        .await?
    {
        Redemption::Redeemed(token) => {
            apply(app, &mut tx, client, &token).await?;
            token
        }
        Redemption::AlreadyRedeemed(token) if is_in_force(&mut tx, &token).await? => token,
        Redemption::AlreadyRedeemed(_) | Redemption::Invalid => {
            return Err(ErrorCode::InvalidToken.into());
        }
    };
    link.commit(app, tx).await?;
    Ok(token)
}

/// Replaces the message of `account_exists`, which refers to the sign-in form, because the person is signed in already.
fn with_email_taken_message(error: ApiError) -> ApiError {
    error.reword(ErrorCode::AccountExists, Message::ErrorEmailTaken)
}

/// Returns whether the change of this token is still in force. After an undo or a further change the response "changed"
/// would be wrong.
async fn is_in_force(tx: &mut Tx, token: &Token) -> Result<bool, ApiError> {
    let account = accounts::lock(tx, token.subject_id).await?;
    Ok(account.is_some_and(|account| Some(account.email) == token.email))
}

async fn apply(app: &App, tx: &mut Tx, client: &Client, token: &Token) -> Result<(), ApiError> {
    let account = accounts::lock(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let new = Email::from_stored(token.email.as_deref().ok_or(ErrorCode::InvalidToken)?);
    change(app, tx, &account, &new, Actor::Person(client)).await
}

/// Changes the address of a locked account: ends its links, and mails the old address a link that undoes the change. An
/// address that was never verified gets none, because it may be the mistyped one of a stranger. 409 `account_exists` if
/// the address belongs to another account.
pub(crate) async fn change(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    new: &Email,
    actor: Actor<'_>,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    if legacy::unmigrated_by_email(tx, new.key()).await?.is_some() {
        return Err(ErrorCode::AccountExists.into());
    }
    if new.key() != email::stored_key(&account.email) {
        unverified::remove(app, tx, new.key()).await?;
    }
    let number = credentials::next_change_number(tx, account.id, now).await?;
    let email_change = app.email_change();
    let number = email_change.apply(tx, account, new, number).await?;
    mail::end_links(tx, account.id).await?;
    // The mails about a pending reset of the second factor went to the old address.
    reset::cancel_by(app, tx, actor, account).await?;
    if account.verified {
        let mut notice = OutgoingMail::to(account, MailKind::EmailChanged).at(now);
        notice.details.change_number = Some(number);
        notice.details.new_email = Some(new.as_entered().to_owned());
        mail::queue(app, tx, notice).await?;
    }
    let event = Event::by_actor(SecurityEvent::EmailChanged, account.id, actor);
    Ok(event.record(app, tx).await?)
}

/// Undoes a change of the address, and all that a thief may have done since: removes the credentials added after the
/// change, cancels a pending deletion, ends all sessions, and removes all devices except the one with `cookie`. A
/// disabled account stays disabled. Returns the restored address.
pub(crate) async fn undo(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<String, ApiError> {
    let email = retry_on_conflict(&app.rng, || undo_once(app, client, link, cookie)).await?;
    Ok(email)
}

async fn undo_once(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<String, ApiError> {
    let mut tx = app.store.write().await?;
    let token = link.redeem(app, &mut tx, Purpose::EmailUndo).await?;
    let email = restore(app, &mut tx, client, &token, cookie).await?;
    link.commit(app, tx).await?;
    Ok(email)
}

async fn restore(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    token: &Token,
    cookie: &Secret,
) -> Result<String, ApiError> {
    let now = app.clock.millis();
    let old = Email::from_stored(token.email.as_deref().ok_or(ErrorCode::InvalidToken)?);
    // The address of an account that waited may have been changed, and the account may have migrated since.
    if let Some(waiting) = legacy::lock(tx, token.subject_id).await? {
        return legacy_email::restore(app, tx, &waiting, &old, token.change_number).await;
    }
    let migrated = legacy::find_account(tx, token.subject_id).await?;
    let account = accounts::lock(tx, migrated.unwrap_or(token.subject_id))
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    unverified::remove(app, tx, old.key()).await?;
    app.email_change().restore(tx, &account, &old).await?;
    mail::end_links(tx, account.id).await?;
    mail::end_undo_links_from(tx, token.subject_id, token.change_number).await?;
    // This undo also reverts all later changes, so their links end. Links of earlier changes stay.
    mail::end_undo_links_from(tx, account.id, token.change_number).await?;
    // The notices of passkeys that were added since were mailed to the new mailbox.
    mail::end_credential_undo_links_from(tx, account.id, token.change_number).await?;
    let ended = devices::remove_all(tx, account.id).await?;
    session_end::report(app, tx, ended).await?;
    devices::enrol(
        tx,
        app.rng.id(now),
        account.id,
        &cookie.hash(),
        &client.device_name(),
        now,
    )
    .await?;
    if account.email != old.as_entered() {
        mail::queue(
            app,
            tx,
            OutgoingMail::to(&account, MailKind::EmailRemoved).at(now),
        )
        .await?;
    }
    let restored = Account {
        email: old.as_entered().to_owned(),
        ..account
    };
    mail::queue(
        app,
        tx,
        OutgoingMail::to(&restored, MailKind::EmailRestored).at(now),
    )
    .await?;
    let event = Event::new(SecurityEvent::EmailChangeUndone, restored.id, client);
    event.device(cookie).record(app, tx).await?;
    deletion::cancel_by_undo(app, tx, client, &restored).await?;
    let number = token.change_number;
    let removal = Removal::new(app, client, &restored).with_cookie(cookie);
    removal.since(tx, number).await?;
    Ok(restored.email)
}
