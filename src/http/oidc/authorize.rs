//! The authorization endpoint.

use super::{authorization, redirect_to};
use crate::accounts::sign_in::ticket::{self, Destination, OpenedTicket, Ticket, TicketCookie};
use crate::http::continuation;
use crate::http::cookies::CookieSetter;
use crate::http::extract::same_origin::Navigation;
use crate::http::prelude::*;

pub(super) async fn authorize(
    State(app): State<SharedApp>,
    _: Navigation,
    client: Client,
    parts: Parts,
) -> ApiResult<Response> {
    match continuation::ticket_from_query(&parts.uri) {
        Some(ticket) => resume_request(&app, &client, &parts, &ticket).await,
        None => Ok(authorization::respond(&app, &client, &parts).await),
    }
}

/// Continues a sign-in for an application. If the session does not meet a requirement of the ticket, redirects to the
/// page where the person can meet the requirement. If the ticket belongs to another browser or expired long ago,
/// redirects to the plain sign-in page.
async fn resume_request(
    app: &App,
    client: &Client,
    parts: &Parts,
    text: &str,
) -> ApiResult<Response> {
    let ticket = match ticket::open(app, client, text) {
        Some(OpenedTicket::Own(ticket)) => ticket,
        Some(OpenedTicket::Expired(ticket)) => match &ticket.destination {
            Destination::Authorize(request) => {
                return Ok(authorization::expired_page(app, client, parts, request));
            }
            Destination::ForwardAuth(_) | Destination::OwnPage(_) => {
                return Ok(continue_with_ticket(app, client, ticket));
            }
        },
        // This ticket belongs to no browser yet. The sign-in page sets the cookie that binds the ticket to the browser.
        Some(OpenedTicket::Unbound(_)) => {
            return Ok(redirect_to(&format!("/account/?continue={text}"), ()));
        }
        None => return Ok(redirect_to("/account/", ())),
    };
    match continuation::check_session(app, client, &ticket.requirements).await? {
        Ok(_) => Ok(continue_with_ticket(app, client, ticket)),
        Err(unmet) => Ok(redirect_to(&continuation::proof_url(unmet, text), ())),
    }
}

fn continue_with_ticket(app: &App, client: &Client, ticket: Ticket) -> Response {
    let mut cookies = CookieSetter::new(app);
    if let Some(cookie) = TicketCookie::of(client) {
        cookies = cookies.set_ticket(&cookie.without_ticket());
    }
    let address = match ticket.destination {
        // A path is sufficient, because a ticket for a protected page can be opened only on the host of that page.
        Destination::ForwardAuth(page) => page.path.as_str().to_owned(),
        Destination::OwnPage(path) => path.as_str().to_owned(),
        Destination::Authorize(request) => {
            format!("/account/oidc/authorize?{}", request.parameters)
        }
    };
    redirect_to(&address, cookies)
}
