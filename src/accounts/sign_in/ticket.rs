//! Tickets store the destination of a sign-in for another application. A ticket is a signed text without a row in the
//! database. A cookie binds the ticket to one browser and stores it there, so that the ticket survives mailed links
//! that open a new page.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::accounts::client::Client;
use crate::accounts::strong_factor;
use crate::app::App;
use crate::clock::{DAY, HOUR};
use crate::crypto::signed_text::SignedText;
use crate::db::Result;
use crate::domain::auth_method::Aal;
use crate::domain::local_path::LocalPath;
use crate::domain::secret::Secret;
use crate::store::sessions::Session;

/// The lifetime of a ticket, in milliseconds.
const LIFETIME_MILLIS: i64 = HOUR;

/// The lifetime of the ticket's cookie, in milliseconds. Until then an expired ticket still names its destination.
pub(crate) const COOKIE_LIFETIME_MILLIS: i64 = DAY;

/// Browsers reject a cookie whose name and value together have more than 4096 bytes (RFC 6265bis section 5.6).
const MAX_COOKIE_BYTES: usize = 4000;

/// The application or page that a person signs in for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Destination {
    Authorize(AuthorizationRequest),
    ForwardAuth(ProtectedPage),
    /// A page of this site that requires a session.
    OwnPage(LocalPath),
}

/// A validated authorization request of an OpenID Connect client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AuthorizationRequest {
    /// The name of the OpenID Connect client, for the sign-in page.
    pub name: String,
    /// The region whose brand the sign-in page has. If it is `None`, the page has the brand of the host's region.
    pub region: Option<String>,
    /// The parameters of the authorization request, form-encoded.
    pub parameters: String,
}

/// A page of an application behind forward-auth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProtectedPage {
    /// The configured host of the page, without a port.
    pub host: String,
    pub path: LocalPath,
}

/// The requirements that the destination of a sign-in has for the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionRequirements {
    /// The minimum authentication level.
    pub aal: Aal,
    /// The authentication level that is required only of an account that can prove it on this site (`acr_values`).
    #[serde(default)]
    pub preferred_aal: Aal,
    /// The last proof of identity must not be older than this time (`prompt=login`, `max_age`), in milliseconds since
    /// 1970 UTC.
    pub authenticated_since: Option<i64>,
}

/// The requirement that a live session does not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnmetRequirement {
    /// Another sign-in is required.
    SignIn,
    /// A registration is required, because the authorization request has `prompt=create`.
    SignUp,
    /// A second factor, or a passkey, is required.
    SecondFactor,
}

impl SessionRequirements {
    /// Returns the most important requirement that the session does not meet, the sign-in before the second factor.
    /// Returns `None` if the session meets all requirements. A proof below the required authentication level does not
    /// count as recent.
    pub(crate) async fn first_unmet(
        &self,
        app: &App,
        client: &Client,
        session: &Session,
    ) -> Result<Option<UnmetRequirement>> {
        let (proofs, since) = (&session.authenticated, self.authenticated_since);
        let aal = self.level_of(app, client, session).await?;
        if proofs.answering(aal, since).is_some() {
            return Ok(None);
        }
        let is_too_old =
            proofs.answering(aal, None).is_some() || proofs.answering(Aal::One, since).is_none();
        Ok(Some(match is_too_old {
            true => UnmetRequirement::SignIn,
            false => UnmetRequirement::SecondFactor,
        }))
    }

    /// Returns the authentication level that this session must have.
    async fn level_of(&self, app: &App, client: &Client, session: &Session) -> Result<Aal> {
        let wanted = self.preferred_aal.max(self.aal);
        let is_proved = session
            .authenticated
            .answering(wanted, self.authenticated_since);
        if wanted == self.aal || is_proved.is_some() {
            return Ok(wanted);
        }
        let mut tx = app.store.read().await?;
        match strong_factor::works_here(app, &mut tx, client, session.account_id).await? {
            true => Ok(wanted),
            false => Ok(self.aal),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ticket {
    pub destination: Destination,
    pub requirements: SessionRequirements,
    /// The SHA-256 of the secret in the ticket cookie, as base64url, or `None` until a browser binds the ticket.
    browser: Option<String>,
    /// The expiry of the ticket, in milliseconds since 1970 UTC.
    expires_at: i64,
}

/// A ticket that a browser has opened.
pub(crate) enum OpenedTicket {
    /// A ticket that is bound to this browser.
    Own(Ticket),
    /// A ticket that is not bound yet.
    Unbound(Ticket),
    /// A ticket that was bound to this browser and expired within the last day.
    Expired(Ticket),
}

/// The cookie of a browser that signs in for an application. The cookie contains the secret that the browser's tickets
/// are bound to, and the last ticket if it fits into a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TicketCookie {
    secret: Secret,
    pub ticket: Option<String>,
}

impl TicketCookie {
    /// Returns the ticket cookie of this browser, if the cookie is valid.
    pub(crate) fn of(client: &Client) -> Option<TicketCookie> {
        let text = client.ticket_cookie.as_deref()?;
        let (secret, ticket) = text.split_once('.').unwrap_or((text, ""));
        Some(TicketCookie {
            secret: Secret::parse(secret)?,
            ticket: (!ticket.is_empty()).then(|| ticket.to_owned()),
        })
    }

    pub(crate) fn cookie_value(&self) -> String {
        let secret = self.secret.expose();
        match &self.ticket {
            Some(ticket) if ticket.len() + secret.len() < MAX_COOKIE_BYTES => {
                format!("{secret}.{ticket}")
            }
            _ => secret.to_owned(),
        }
    }

    pub(crate) fn with_ticket(self, ticket: &str) -> TicketCookie {
        let ticket = Some(ticket.to_owned());
        TicketCookie { ticket, ..self }
    }

    /// Removes the used ticket, but keeps the secret to which the other tickets of the browser are bound.
    pub(crate) fn without_ticket(self) -> TicketCookie {
        TicketCookie {
            ticket: None,
            ..self
        }
    }

    fn binding(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.secret.hash())
    }
}

/// Returns a ticket that is bound to this browser, and the cookie that the response sets.
pub(crate) fn issue_bound(
    app: &App,
    client: &Client,
    destination: Destination,
    requirements: SessionRequirements,
) -> (String, TicketCookie) {
    let own = TicketCookie::of(client);
    let secret = own.map_or_else(|| Secret::generate(&app.rng), |cookie| cookie.secret);
    let cookie = TicketCookie {
        secret,
        ticket: None,
    };
    let text = sign(app, destination, requirements, Some(cookie.binding()));
    let ticket = Some(text.clone());
    (text, TicketCookie { ticket, ..cookie })
}

/// Returns a ticket for the first browser that opens it, for responses that cannot set a cookie.
pub(crate) fn issue_unbound(
    app: &App,
    page: ProtectedPage,
    requirements: SessionRequirements,
) -> String {
    sign(app, Destination::ForwardAuth(page), requirements, None)
}

fn sign(
    app: &App,
    destination: Destination,
    requirements: SessionRequirements,
    browser: Option<String>,
) -> String {
    let ticket = Ticket {
        destination,
        requirements,
        browser,
        expires_at: app.clock.millis().saturating_add(LIFETIME_MILLIS),
    };
    SignedText::Ticket.sign(&app.signed_text_keys, &ticket)
}

/// Opens a ticket. Returns `None` if the ticket is invalid, belongs to another browser or host, or expired too long ago.
pub(crate) fn open(app: &App, client: &Client, text: &str) -> Option<OpenedTicket> {
    let ticket: Ticket = SignedText::Ticket.open(&app.signed_text_keys, text)?;
    let expired_for = app.clock.millis() - ticket.expires_at;
    if let Destination::ForwardAuth(page) = &ticket.destination
        && !page.host.eq_ignore_ascii_case(&client.host)
    {
        return None;
    }
    let is_own =
        |browser: &String| TicketCookie::of(client).is_some_and(|own| own.binding() == *browser);
    match &ticket.browser {
        None if expired_for < 0 => Some(OpenedTicket::Unbound(ticket)),
        Some(browser) if !is_own(browser) => None,
        Some(_) if expired_for < 0 => Some(OpenedTicket::Own(ticket)),
        Some(_) if expired_for < COOKIE_LIFETIME_MILLIS - LIFETIME_MILLIS => {
            Some(OpenedTicket::Expired(ticket))
        }
        _ => None,
    }
}
