//! Composes a queued mail: makes the token of its link, here and nowhere else, and the message.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use lettre::Message;
use lettre::message::{Mailbox, MultiPart};

use super::headers::{AutoSubmitted, ListUnsubscribe, ListUnsubscribePost};
use super::template::{Lifetime, MailTemplate, RenderedMail, SenderBrand};
use super::{Kind, MailDetails};
use crate::app::App;
use crate::config::Region;
use crate::db::{Result, Tx};
use crate::domain::secret::{Secret, SecretHash};
use crate::i18n::Language;
use crate::store::outbox::{Kept, Queued};
use crate::store::tokens::{self, NewToken, Purpose};

/// A hash as text, for the details of a mail.
pub(crate) fn encode_hash(hash: &SecretHash) -> String {
    STANDARD_NO_PAD.encode(hash)
}

/// The inverse of `encode_hash`. None for any other text.
pub(super) fn decode_hash(text: &str) -> Option<SecretHash> {
    STANDARD_NO_PAD.decode(text).ok()?.try_into().ok()
}

/// A finished mail, and the unsubscribe link for its headers.
pub(super) struct ComposedMail {
    pub content: Kept,
    /// Invitations only.
    pub unsubscribe_link: Option<String>,
}

/// Composes the mail. The token of its link is inserted in the caller's transaction.
pub(super) async fn write(
    app: &App,
    tx: &mut Tx,
    mail: &Queued,
    kind: Kind,
) -> Result<ComposedMail> {
    let details: MailDetails = serde_json::from_str(&mail.details).unwrap_or_default();
    let link = match kind.purpose() {
        // Prefills the address on the screen that the link opens.
        None if kind.is_for_legacy_account() => {
            page(app, &format!("{}?{}", kind.path(), email_query(mail)))
        }
        None => page(app, kind.path()),
        Some(purpose) => mint(app, tx, mail, purpose, &details).await?,
    };
    let unsubscribe_link = match kind {
        Kind::Invitation => Some(mint(app, tx, mail, Purpose::Unsubscribe, &details).await?),
        _ => None,
    };
    let region = app.config.region_by_id(&mail.region);
    let values = MailValues {
        lifetime: Lifetime(kind.lifetime(&app.config.lifetimes).0.as_secs()),
        device: details.device.as_deref().unwrap_or("Browser"),
        time: when(region, details.at.unwrap_or(mail.created_at)),
        new_address: details.new_email.as_deref().unwrap_or_default(),
        link: &link,
        reset_link: &page(app, "/account/request-password"),
        unsubscribe_link: unsubscribe_link.as_deref().unwrap_or_default(),
    };
    let rendered = values.render(app, region, kind, mail.language);
    let content = Kept {
        id: mail.id,
        to: mail.recipient.clone(),
        subject: rendered.subject,
        text: rendered.text,
        html: rendered.html,
        created_at: mail.created_at,
    };
    Ok(ComposedMail {
        content,
        unsubscribe_link,
    })
}

/// A sample of a mail in a region, with invented data and links that open nothing.
pub(crate) fn sample(app: &App, region: &Region, kind: Kind, language: Language) -> RenderedMail {
    /// 7 April 2026, 18:30 UTC. Constant, so that screenshots do not change.
    const MOMENT: i64 = 1_775_586_600_000;
    const TOKEN: &str = "a-sample-opens-nothing";
    let link = kind.purpose().map(|purpose| {
        let (path, key) = (purpose.path(), purpose.query_key());
        page(app, &format!("{path}?{key}={TOKEN}"))
    });
    let values = MailValues {
        lifetime: Lifetime(kind.lifetime(&app.config.lifetimes).0.as_secs()),
        device: "Firefox · Windows",
        time: when(region, MOMENT),
        new_address: "riley@example.com",
        link: &link.unwrap_or_else(|| page(app, kind.path())),
        reset_link: &page(app, "/account/request-password"),
        unsubscribe_link: &page(app, &format!("/account/unsubscribe?token={TOKEN}")),
    };
    values.render(app, region, kind, language)
}

/// The address of a page of ours, from `public_url` and never from a Host header.
fn page(app: &App, path: &str) -> String {
    format!("{}{path}", app.config.server.public_url)
}

/// Inserts a new token and returns its link.
async fn mint(
    app: &App,
    tx: &mut Tx,
    mail: &Queued,
    purpose: Purpose,
    details: &MailDetails,
) -> Result<String> {
    let token = Secret::generate(&app.rng);
    let device_hash = details.device_hash.as_deref().and_then(decode_hash);
    let new = NewToken {
        hash: &token.hash(),
        purpose,
        subject_id: mail.subject_id,
        email: Some(&mail.recipient),
        device_hash: device_hash.as_ref(),
        device_name: details.device.as_deref(),
        requested_at: details.at.filter(|_| purpose == Purpose::DeviceApproval),
        change_number: details.change_number,
        now: app.clock.millis(),
        lifetime: purpose.lifetime(&app.config.lifetimes).millis(),
    };
    tokens::insert(tx, &new).await?;
    let path = purpose.path();
    // The migration screen shows the address of the account.
    let email = match purpose {
        Purpose::Migration => format!("{}&", email_query(mail)),
        _ => String::new(),
    };
    let key = purpose.query_key();
    Ok(page(
        app,
        &format!("{path}?{email}{key}={}", token.expose()),
    ))
}

fn email_query(mail: &Queued) -> String {
    let address = url::form_urlencoded::byte_serialize(mail.recipient.as_bytes());
    format!("email={}", address.collect::<String>())
}

/// A time in the region's time zone.
fn when(region: &Region, millis: i64) -> Zoned {
    let zone = TimeZone::get(&region.timezone).unwrap_or(TimeZone::UTC);
    Timestamp::from_millisecond(millis)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_zoned(zone)
}

/// The brand of the region. Without one the host of the site, because "your Account account" names
/// nothing.
fn brand_name<'a>(app: &App, region: &'a Region) -> Cow<'a, str> {
    if region.brand != Region::default().brand {
        return Cow::Borrowed(&region.brand);
    }
    let host = url::Url::parse(&app.config.server.public_url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    match host {
        Some(host) => Cow::Owned(host.strip_prefix("www.").unwrap_or(&host).to_owned()),
        None => Cow::Borrowed(&region.brand),
    }
}

struct MailValues<'a> {
    lifetime: Lifetime,
    device: &'a str,
    time: Zoned,
    new_address: &'a str,
    link: &'a str,
    reset_link: &'a str,
    unsubscribe_link: &'a str,
}

impl MailValues<'_> {
    fn render(&self, app: &App, region: &Region, kind: Kind, language: Language) -> RenderedMail {
        let home = page(app, "/account/");
        let contact = region
            .links
            .contact
            .as_deref()
            .map(|link| match link.strip_prefix('/') {
                Some(path) => page(app, &format!("/{path}")),
                None => link.to_owned(),
            });
        let brand = SenderBrand {
            name: &brand_name(app, region),
            accent: region.accent,
            home: &home,
            contact: contact.as_deref(),
        };
        self.template(kind).render(language, &brand)
    }

    fn template(&self, kind: Kind) -> MailTemplate<'_> {
        let MailValues {
            link,
            reset_link,
            unsubscribe_link,
            device,
            lifetime,
            ..
        } = *self;
        let (time, new_address) = (&self.time, self.new_address);
        match kind {
            Kind::VerifyEmail => MailTemplate::VerifyEmail { link, lifetime },
            Kind::ApproveDevice => MailTemplate::ApproveDevice {
                link,
                lifetime,
                device,
                time,
            },
            Kind::NewDeviceNotice => MailTemplate::NewDeviceNotice {
                device,
                time,
                reset_link,
            },
            Kind::ResetPassword => MailTemplate::ResetPassword { link, lifetime },
            Kind::PasswordResetDone => MailTemplate::PasswordResetDone { time, reset_link },
            Kind::PasswordChanged => MailTemplate::PasswordChanged { time, reset_link },
            Kind::ConfirmNewEmail => MailTemplate::ConfirmNewEmail { link, lifetime },
            Kind::EmailChanged => MailTemplate::EmailChanged {
                undo_link: link,
                lifetime,
                new_address,
            },
            Kind::EmailAddressTaken => MailTemplate::EmailAddressTaken { reset_link },
            Kind::EmailRestored => MailTemplate::EmailRestored { time, reset_link },
            Kind::EmailRemoved => MailTemplate::EmailRemoved { time },
            Kind::AccountExists => MailTemplate::AccountExists {
                sign_in_link: link,
                reset_link,
            },
            Kind::LegacyAccountExists => MailTemplate::LegacyAccountExists {
                migration_link: link,
            },
            Kind::MigratedAtSignIn => MailTemplate::MigratedAtSignIn { time, reset_link },
            Kind::Migrate => MailTemplate::Migrate { link, lifetime },
            Kind::CompleteMigration => MailTemplate::CompleteMigration { link, lifetime },
            Kind::Invitation => MailTemplate::Invitation {
                link,
                unsubscribe_link,
            },
        }
    }
}

/// The message on the wire. Retries of one mail share their Message-ID.
pub(super) fn message(
    app: &App,
    mail: &Queued,
    composed: ComposedMail,
) -> std::result::Result<Message, String> {
    let content = composed.content;
    let to: lettre::Address = content
        .to
        .parse()
        .map_err(|_| "an address that cannot be mailed to")?;
    let host = app
        .config
        .server
        .public_url
        .rsplit("://")
        .next()
        .unwrap_or("localhost");
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let mut message = Message::builder()
        .from(
            app.mailer
                .sender(&app.config.region_by_id(&mail.region).id)
                .clone(),
        )
        .to(Mailbox::new(None, to))
        .message_id(Some(format!("<{}@{host}>", mail.id)))
        .subject(content.subject)
        .header(AutoSubmitted);
    if let Some(link) = composed.unsubscribe_link {
        message = message
            .header(ListUnsubscribe(link))
            .header(ListUnsubscribePost);
    }
    message
        .multipart(MultiPart::alternative_plain_html(
            content.text,
            content.html,
        ))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::outbox::Priority;

    // finding: ASVS 1.2.2
    #[test]
    fn an_address_is_one_encoded_value_of_a_link() {
        let mail = Queued {
            id: uuid::Uuid::nil(),
            kind: Kind::Migrate.as_str().to_owned(),
            subject_id: uuid::Uuid::nil(),
            recipient: "a+b&token=c#d@example.org".to_owned(),
            language: Language::En,
            region: String::new(),
            details: String::new(),
            change_number: None,
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
