//! The page of a sign-in for another application.

use std::borrow::Cow;

use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Redirect, Response};

use super::page::Page;
use crate::app::App;
use crate::auth::client::Client;
use crate::auth::ticket::{self, Demand, Destination, Opened, Ticket, TicketCookie};
use crate::error::Failure;
use crate::http::continuation;
use crate::http::cookies::Setter;

/// What a page says and does about the application that the person signs in for.
pub(super) struct Continuation {
    /// The name of the application or of the site.
    pub name: String,
    /// The region whose brand the page has. None: that of the host.
    pub region: Option<String>,
    /// The address to open after the sign-in.
    pub address: String,
    cookie: Option<TicketCookie>,
    demand: Demand,
    ticket: String,
}

impl Continuation {
    /// The sign-in that the page belongs to. The sign-in page itself needs the ticket in its address, because a person
    /// who opens it without one has given up the earlier sign-in; mailed links lead to pages without one.
    pub(super) fn of(
        app: &App,
        client: &Client,
        page: Option<&Page>,
        uri: &Uri,
    ) -> Option<Continuation> {
        let is_sign_in = page?.asks_for_session;
        let given = continuation::given(uri);
        let is_given = given.is_some();
        let kept = || TicketCookie::of(client).filter(|_| !is_sign_in)?.ticket;
        let text = given.or_else(kept)?;
        let (ticket, text, cookie) = match ticket::open(app, client, &text)? {
            Opened::Own(ticket) => {
                let cookie = TicketCookie::of(client).filter(|_| is_given);
                let cookie = cookie.map(|cookie| cookie.with_ticket(&text));
                (ticket, text, cookie)
            }
            Opened::Unbound(ticket) => {
                let (destination, demand) = (ticket.destination.clone(), ticket.demand);
                let (text, cookie) = ticket::bound(app, client, destination, demand);
                (ticket, text, Some(cookie))
            }
        };
        let Ticket {
            destination,
            demand,
            ..
        } = ticket;
        let (name, region) = described(app, client, destination);
        Some(Continuation {
            name,
            region,
            address: continuation::resumption(&text),
            cookie,
            demand,
            ticket: text,
        })
    }

    /// Where the ticket leads at once, because the browser has a live session. None: the form is needed.
    pub(super) async fn shortcut(
        &self,
        app: &App,
        client: &Client,
    ) -> Result<Option<Response>, Failure> {
        use crate::auth::ticket::Shortfall;
        let address = match continuation::session(app, client, &self.demand).await? {
            Ok(_) => Cow::Borrowed(&self.address),
            Err(Shortfall::SignIn) => return Ok(None),
            Err(lack) => Cow::Owned(continuation::way_to(lack, &self.ticket)),
        };
        let redirect = Redirect::to(&address);
        Ok(Some((self.cookies(app), redirect).into_response()))
    }

    pub(super) fn cookies(&self, app: &App) -> HeaderMap {
        let cookies = Setter::new(&app.config);
        match &self.cookie {
            Some(cookie) => cookies.ticket(cookie).done(),
            None => cookies.done(),
        }
    }
}

/// The name of what the person signs in to, and the region of its brand.
fn described(app: &App, client: &Client, destination: Destination) -> (String, Option<String>) {
    match destination {
        Destination::Authorize(request) => (request.name, request.region),
        Destination::ForwardAuth(_) => {
            let region = app.config.region_by_id(&client.region);
            (app.brand_name(region).into_owned(), None)
        }
    }
}
