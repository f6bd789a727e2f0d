//! The pages of a sign-in for an application, and of a sign-out by an application.

use std::borrow::Cow;

use axum::http::uri::PathAndQuery;

use super::table::Page;
use crate::accounts::sign_in::ticket::{
    self, Destination, OpenedTicket, SessionRequirements, Ticket, TicketCookie, UnmetRequirement,
};
use crate::domain::local_path::LocalPath;
use crate::http::api::config::ClientConfig;
use crate::http::continuation;
use crate::http::cookies::CookieSetter;
use crate::http::prelude::*;
use crate::oidc::parameters::Parameters;
use crate::oidc::request;

/// The application or site that the person signs in to or out of, and the brand and language that it requests.
#[derive(Default)]
pub(super) struct PagePurpose {
    /// The name of the application or of the site, or `None` for a page of this site.
    name: Option<String>,
    /// The region whose brand the page shows, or `None` for the region of the host.
    pub region: Option<String>,
    /// The requested language. A language that the person has chosen takes precedence.
    pub language: Option<Language>,
    /// The application to which the sign-in continues, which the page sends as `app` in `POST /login`.
    app: Option<String>,
    /// The email address that the application expects to sign in.
    login_hint: Option<String>,
}

/// The sign-in that a page belongs to, with the texts and URLs that depend on its destination.
pub(super) struct Continuation {
    pub purpose: PagePurpose,
    /// The URL to open after the sign-in.
    address: String,
    cookie: Option<TicketCookie>,
    requirements: SessionRequirements,
    ticket: String,
    /// Whether the sign-in is for an application instead of a page of this host.
    is_for_client: bool,
}

impl Continuation {
    /// Returns the sign-in that the page belongs to. The sign-in page requires the ticket in its URL, because a person
    /// who opens the page without a ticket has abandoned the sign-in. Pages that mailed links open get the ticket from
    /// the cookie.
    pub(super) fn from_request(
        app: &App,
        client: &Client,
        page: Option<&Page>,
        uri: &Uri,
    ) -> Option<Continuation> {
        let is_sign_in = page?.redirects_signed_in;
        let from_query = continuation::ticket_from_query(uri);
        let is_in_query = from_query.is_some();
        let from_cookie = || TicketCookie::of(client).filter(|_| !is_sign_in)?.ticket;
        let text = from_query.or_else(from_cookie)?;
        let (ticket, text, cookie) = match ticket::open(app, client, &text)? {
            // The page continues an expired sign-in too, because `authorize` says what became of it.
            OpenedTicket::Expired(_) if !is_in_query => return None,
            OpenedTicket::Own(ticket) | OpenedTicket::Expired(ticket) => {
                let cookie = TicketCookie::of(client).filter(|_| is_in_query);
                let cookie = cookie.map(|cookie| cookie.with_ticket(&text));
                (ticket, text, cookie)
            }
            OpenedTicket::Unbound(ticket) => {
                let (destination, requirements) = (ticket.destination.clone(), ticket.requirements);
                let (text, cookie) = ticket::issue_bound(app, client, destination, requirements);
                (ticket, text, Some(cookie))
            }
        };
        let Ticket {
            destination,
            requirements,
            ..
        } = ticket;
        let is_for_client = matches!(destination, Destination::Authorize(_));
        Some(Continuation {
            is_for_client,
            purpose: PagePurpose::of_sign_in(app, client, destination),
            address: continuation::resume_url(&text),
            cookie,
            requirements,
            ticket: text,
        })
    }

    /// Returns a redirect that continues the sign-in, or `None` if the browser has no live session.
    pub(super) async fn redirect_if_signed_in(
        &self,
        app: &App,
        client: &Client,
    ) -> ApiResult<Option<Response>> {
        let address = match continuation::check_session(app, client, &self.requirements).await? {
            Ok(_) => Cow::Borrowed(&self.address),
            Err(UnmetRequirement::SignIn) => return Ok(None),
            Err(unmet) => Cow::Owned(continuation::proof_url(unmet, &self.ticket)),
        };
        let redirect = Redirect::to(&address);
        Ok(Some((self.cookies(app), redirect).into_response()))
    }

    /// Adds the application or page that the browser opens after the sign-in.
    pub(super) fn add_destination(&self, config: &mut ClientConfig) {
        config.signed_in_home = self.address.clone().into();
        config.signing_in_to.clone_from(&self.purpose.name);
        config.login_hint.clone_from(&self.purpose.login_hint);
        if let Some(app) = &self.purpose.app {
            config.app = app.clone().into();
        }
    }

    /// Returns the Cross-Origin-Opener-Policy. An application may have opened the sign-in in a popup, which must return
    /// the authorization response to the page that opened it.
    pub(super) fn opener_policy(&self) -> &'static str {
        match self.is_for_client {
            true => "unsafe-none",
            false => "same-origin",
        }
    }

    pub(super) fn cookies(&self, app: &App) -> CookieSetter {
        let cookies = CookieSetter::new(app);
        match &self.cookie {
            Some(cookie) => cookies.set_ticket(cookie),
            None => cookies,
        }
    }
}

/// Returns the redirect to the sign-in page, with a ticket whose destination is the requested page. Returns `None` if
/// the browser has a live session, or if the URL already has a ticket.
pub(super) async fn redirect_to_sign_in(
    app: &App,
    client: &Client,
    uri: &Uri,
) -> ApiResult<Option<Response>> {
    let requirements = SessionRequirements::default();
    if continuation::ticket_from_query(uri).is_some() {
        return Ok(None);
    }
    let session = continuation::check_session(app, client, &requirements).await?;
    if session.is_ok() {
        return Ok(None);
    }
    let page = LocalPath::parse_or_start(uri.path_and_query().map_or("", PathAndQuery::as_str));
    let (ticket, cookie) =
        ticket::issue_bound(app, client, Destination::OwnPage(page), requirements);
    let cookies = CookieSetter::new(app).set_ticket(&cookie);
    let address = continuation::proof_url(UnmetRequirement::SignIn, &ticket);
    let redirect = Redirect::to(&address);
    Ok(Some((NO_STORE, cookies, redirect).into_response()))
}

impl PagePurpose {
    fn of_sign_in(app: &App, client: &Client, destination: Destination) -> PagePurpose {
        match destination {
            Destination::Authorize(request) => {
                let parameters = Parameters::parse(request.parameters.as_bytes());
                let id = parameters.get("client_id");
                let application = id.and_then(|id| app.config.oidc_client(id));
                let hint = request::login_hint(&parameters);
                PagePurpose {
                    name: Some(request.name),
                    region: request.region,
                    language: request::ui_language(&parameters),
                    app: application.map(|application| application.app_id().to_owned()),
                    login_hint: hint.map(|email| email.as_entered().to_owned()),
                }
            }
            Destination::ForwardAuth(_) => {
                let region = app.config.region_by_id(&client.region);
                PagePurpose {
                    name: Some(app.brand_name(region).into_owned()),
                    ..PagePurpose::default()
                }
            }
            Destination::OwnPage(_) => PagePurpose::default(),
        }
    }

    /// Returns the brand and language that the application of a sign-out requests. Both are `None` on every page except
    /// the one that confirms a sign-out.
    pub(super) fn of_sign_out(app: &App, page: Option<&Page>, uri: &Uri) -> PagePurpose {
        if page.is_none_or(|page| page.path != continuation::SIGN_OUT_PATH) {
            return PagePurpose::default();
        }
        let parameters = Parameters::parse(uri.query().unwrap_or_default().as_bytes());
        let id = parameters
            .get("client_id")
            .filter(|_| !parameters.is_repeated("client_id"));
        let client = id.and_then(|id| app.config.oidc_client(id));
        PagePurpose {
            region: client.and_then(|client| client.region.clone()),
            language: request::ui_language(&parameters),
            ..PagePurpose::default()
        }
    }
}
