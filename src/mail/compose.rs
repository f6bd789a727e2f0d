//! Composes a queued mail: renders the message and, as the only module, makes the token of its link.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use lettre::Message;
use lettre::address::Envelope;
use lettre::message::{Mailbox, MultiPart};

use super::row::LinkTarget;
use super::template::{Lifetime, MailValues, RenderedMail, SenderBrand};
use super::{MailDetails, MailKind, address, headers};
use crate::app::App;
use crate::clock::DAY;
use crate::config::Region;
use crate::db::{Result, Tx};
use crate::domain::account_detail::AccountDetail;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::way_in_change::WayInChange;
use crate::i18n::Language;
use crate::store::outbox::{CapturedMail, QueuedMail};
use crate::store::tokens::{self, NewToken, Purpose};
use crate::store::{account_details, legacy, pending_acts};

/// Encodes a hash as text for the details of a mail.
pub(crate) fn encode_hash(hash: &SecretHash) -> String {
    STANDARD_NO_PAD.encode(hash)
}

/// Decodes the result of `encode_hash`. Returns `None` for any other text.
pub(super) fn decode_hash(text: &str) -> Option<SecretHash> {
    STANDARD_NO_PAD.decode(text).ok()?.try_into().ok()
}

/// A composed mail, and the unsubscribe link for its headers.
pub(crate) struct ComposedMail {
    pub content: CapturedMail,
    /// The unsubscribe link, which only invitations have.
    pub unsubscribe_link: Option<String>,
}

/// Composes the mail, and inserts the token of its link in the caller's transaction.
pub(crate) async fn compose_mail(
    app: &App,
    tx: &mut Tx,
    mail: &QueuedMail,
    kind: MailKind,
    details: &MailDetails,
) -> Result<ComposedMail> {
    let row = kind.definition();
    let button = link_url(app, tx, mail, row.button, details).await?;
    let second = link_url(app, tx, mail, row.second_link, details).await?;
    let region = app.config.region_by_id(&mail.region);
    let username = username_of_recipient(tx, mail, kind).await?;
    let values = MailValues {
        username: username.as_deref(),
        button: button.as_deref(),
        second: second.as_deref(),
        lifetime: lifetime(app, kind, details),
        details,
        queued_at: mail.created_at,
        region,
    };
    let rendered = render(app, kind, mail.language, &values);
    let content = CapturedMail {
        id: mail.id,
        subject_id: Some(mail.subject_id),
        to: mail.recipient.clone(),
        subject: rendered.subject,
        text: rendered.text,
        html: rendered.html,
        created_at: mail.created_at,
    };
    let unsubscribe_link =
        second.filter(|_| row.second_link == Some(LinkTarget::Token(Purpose::Unsubscribe)));
    Ok(ComposedMail {
        content,
        unsubscribe_link,
    })
}

/// Returns the username of the account, if the mail goes to the account's verified email address.
async fn username_of_recipient(
    tx: &mut Tx,
    mail: &QueuedMail,
    kind: MailKind,
) -> Result<Option<String>> {
    if kind.is_to_unconfirmed_address() {
        return Ok(None);
    }
    let account = account_details::public_details(tx, mail.subject_id).await?;
    Ok(account
        .filter(|account| account.verified && account.email == mail.recipient)
        .map(|account| account.username))
}

/// Returns a sample of a mail in a region, with invented data and with links that do not work.
pub(crate) fn sample(
    app: &App,
    region: &Region,
    kind: MailKind,
    language: Language,
) -> RenderedMail {
    /// 7 April 2026, 18:30 UTC. The time is constant, so that screenshots of the sample do not change.
    const SAMPLE_TIME: i64 = 1_775_586_600_000;
    const SAMPLE_TOKEN: &str = "a-sample-opens-nothing";
    let address = |link: LinkTarget| match link {
        LinkTarget::Token(purpose) => {
            let (path, key) = (purpose.path(), purpose.query_parameter());
            page_url(app, region, &format!("{path}?{key}={SAMPLE_TOKEN}"))
        }
        LinkTarget::Page(path) | LinkTarget::PrefilledPage(path) => page_url(app, region, path),
    };
    let has_username = !kind.is_to_unconfirmed_address() && !kind.is_for_legacy_account();
    let button = kind.definition().button.map(address);
    let second = kind.definition().second_link.map(address);
    let details = MailDetails {
        device: Some("Firefox · Windows".to_owned()),
        at: Some(SAMPLE_TIME),
        new_email: Some("riley@example.com".to_owned()),
        codes_left: Some(9),
        effective_at: Some(SAMPLE_TIME + 7 * DAY),
        changed: vec![AccountDetail::Username, AccountDetail::Country],
        way_in_change: Some(WayInChange::PasskeyAdded),
        ..MailDetails::default()
    };
    let values = MailValues {
        username: Some("riley").filter(|_| has_username),
        button: button.as_deref(),
        second: second.as_deref(),
        lifetime: lifetime(app, kind, &details),
        details: &details,
        queued_at: SAMPLE_TIME,
        region,
    };
    render(app, kind, language, &values)
}

/// Returns the URL of a link in a mail, and inserts the link's token in the caller's transaction.
async fn link_url(
    app: &App,
    tx: &mut Tx,
    mail: &QueuedMail,
    link: Option<LinkTarget>,
    details: &MailDetails,
) -> Result<Option<String>> {
    let region = app.config.region_by_id(&mail.region);
    Ok(match link {
        None => None,
        Some(LinkTarget::Page(path)) => Some(page_url(app, region, path)),
        Some(LinkTarget::PrefilledPage(path)) => {
            let path = format!("{path}?{}", email_query(mail));
            Some(page_url(app, region, &path))
        }
        Some(LinkTarget::Token(purpose)) => {
            Some(mint_token(app, tx, mail, purpose, details).await?)
        }
    })
}

fn lifetime(app: &App, kind: MailKind, details: &MailDetails) -> Option<Lifetime> {
    let millis = link_lifetime(app, kind.purpose()?, details);
    Some(Lifetime(millis.unsigned_abs() / 1000))
}

/// Returns the lifetime of the link in milliseconds, counted from the sending of the mail.
pub(super) fn link_lifetime(app: &App, purpose: Purpose, details: &MailDetails) -> i64 {
    let own = purpose.lifetime(&app.config.lifetimes).millis();
    details.link_lifetime.unwrap_or(own)
}

/// Returns the URL of a page of a region. The host comes from the configuration and never from a Host header.
fn page_url(app: &App, region: &Region, path: &str) -> String {
    format!("{}{path}", app.config.region_origin(region))
}

/// Inserts a new token for the link of a mail, and returns the link.
async fn mint_token(
    app: &App,
    tx: &mut Tx,
    mail: &QueuedMail,
    purpose: Purpose,
    details: &MailDetails,
) -> Result<String> {
    let token = Secret::generate(&app.rng);
    let device_hash = details.device_hash.as_deref().and_then(decode_hash);
    let now = app.clock.millis();
    let mut subject_id = mail.subject_id;
    let mut lifetime = link_lifetime(app, purpose, details);
    if let Some(until) = details.link_until {
        lifetime = lifetime.min(until.saturating_sub(now));
    }
    if purpose.is_undo() {
        // The legacy account may have migrated since the mail was queued.
        let migrated = legacy::find_account(tx, subject_id).await?;
        subject_id = migrated.unwrap_or(subject_id);
        // The link works until each later harm has ended; for sent mails see `tokens::keep_undo_links_until`.
        let end = pending_acts::last_end_of_harm(tx, subject_id, mail.change_number).await?;
        lifetime = end.map_or(lifetime, |end| lifetime.max(end.saturating_sub(now)));
    }
    let new = NewToken {
        hash: &token.hash(),
        purpose,
        subject_id,
        email: Some(&mail.recipient),
        device_hash: device_hash.as_ref(),
        device_name: details.device.as_deref(),
        reported_at: details.at.unwrap_or(now),
        change_number: mail.change_number,
        now,
        lifetime,
    };
    tokens::insert(tx, &new).await?;
    let path = purpose.path();
    // The migration screen reads the email address of the legacy account from the link, and shows it.
    let email = match purpose {
        Purpose::Migration => format!("{}&", email_query(mail)),
        _ => String::new(),
    };
    let key = purpose.query_parameter();
    let region = app.config.region_by_id(&mail.region);
    let path = format!("{path}?{email}{key}={}", token.expose());
    Ok(page_url(app, region, &path))
}

fn email_query(mail: &QueuedMail) -> String {
    let address = url::form_urlencoded::byte_serialize(mail.recipient.as_bytes());
    format!("email={}", address.collect::<String>())
}

fn render(app: &App, kind: MailKind, language: Language, values: &MailValues<'_>) -> RenderedMail {
    let region = values.region;
    let contact = region
        .links
        .contact
        .as_deref()
        .map(|link| match link.strip_prefix('/') {
            Some(path) => page_url(app, region, &format!("/{path}")),
            None => link.to_owned(),
        });
    let brand = SenderBrand {
        name: &app.brand_name(region),
        accent: region.accent,
        home: &page_url(app, region, "/account/"),
        contact: contact.as_deref(),
    };
    values.render(kind, language, &brand)
}

/// Returns the message to send. All retries of one mail share their Message-ID.
pub(crate) fn message(
    app: &App,
    mail: &QueuedMail,
    composed: ComposedMail,
) -> std::result::Result<Message, String> {
    let content = composed.content;
    let to = address::parse(&content.to).ok_or("an address that cannot be mailed to")?;
    let sender = app.mailer.sender(&app.config.region_by_id(&mail.region).id);
    let envelope = Envelope::new(Some(sender.email.clone()), vec![to.clone()]);
    let host = app.config.public_host();
    let mut message = Message::builder()
        .envelope(envelope.map_err(|error| error.to_string())?)
        .from(sender.clone())
        .to(Mailbox::new(None, to))
        .message_id(Some(format!("<{}@{host}>", mail.id)))
        .subject(content.subject)
        .raw_header(headers::auto_submitted());
    if let Some(link) = composed.unsubscribe_link {
        message = message
            .raw_header(headers::list_unsubscribe(&link))
            .raw_header(headers::list_unsubscribe_post());
    }
    message
        .multipart(MultiPart::alternative_plain_html(
            content.text, content.html,
        ))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::outbox::Priority;

    #[test]
    fn an_email_address_is_encoded_in_a_link() {
        let mail = QueuedMail {
            id: uuid::Uuid::nil(),
            kind: MailKind::Migrate.as_str().to_owned(),
            subject_id: uuid::Uuid::nil(),
            recipient: "a+b&token=c#d@example.org".to_owned(),
            language: Language::En,
            region: String::new(),
            details: String::new(),
            change_number: 0,
            device_hash: None,
            created_at: 0,
            priority: Priority::Awaited,
            deferred_since: None,
            attempts: 0,
        };
        assert_eq!(
            email_query(&mail),
            "email=a%2Bb%26token%3Dc%23d%40example.org"
        );
    }
}
