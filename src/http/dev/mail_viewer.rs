//! Captured mails for a developer without an SMTP server, as the page `/account/dev/mail` and as JSON.

use std::fmt::Write;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::Allowed;
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::pages::texts::escape_html;
use crate::outbox::capture;
use crate::store::outbox::UnsentMail;

/// Lists the captured mails, newest first, with their text part and links. The links give access to accounts.
pub(super) async fn mail_list(
    _: Allowed,
    State(app): State<SharedApp>,
) -> Result<Response, ApiError> {
    let body = render_list(&capture::captured_mails(&app).await?);
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        // The document has only text and links, so its policy permits no scripts, styles or frames.
        (
            axum::http::header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
        ),
    ];
    Ok((headers, body).into_response())
}

fn render_list(mails: &[UnsentMail]) -> String {
    let mut body = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"dark\">\
         <title>Kept mails</title></head><body><h1>Kept mails</h1>\
         <p>No SMTP server is set, so mails stay here instead of going out.</p>",
    );
    for mail in mails {
        let at = jiff::Timestamp::from_millisecond(mail.created_at).unwrap_or_default();
        let _ = write!(
            body,
            "<article><h2>{}</h2><p>to {} · <time>{}</time></p><pre>{}</pre></article><hr>",
            escape_html(&mail.subject),
            escape_html(&mail.to),
            at.strftime("%Y-%m-%d %H:%M:%S UTC"),
            link_addresses(&mail.text)
        );
    }
    body.push_str("</body></html>");
    body
}

/// Returns `{to, subject, text, html, created_at}` of each mail, the newest first.
pub(super) async fn messages(
    _: Allowed,
    State(app): State<SharedApp>,
) -> Result<Response, ApiError> {
    Ok((
        [(CACHE_CONTROL, "no-store")],
        Json(capture::captured_mails(&app).await?),
    )
        .into_response())
}

/// Escapes the text, and converts each line that is a URL to a link.
fn link_addresses(text: &str) -> String {
    let line = |line: &str| {
        let shown = escape_html(line);
        if line.trim().starts_with("http") && !line.trim().contains(' ') {
            let (indent, address) = shown.split_at(shown.len() - shown.trim_start().len());
            format!("{indent}<a href=\"{address}\">{address}</a>")
        } else {
            shown
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
