//! Captured mails for a developer without an SMTP server, as the page `/account/dev/mail` and as JSON.

use askama::Template;
use axum::extract::Query;
use axum::http::header::CONTENT_SECURITY_POLICY;
use serde::Deserialize;
use uuid::Uuid;

use super::DevPagesAllowed;
use crate::http::pages::texts::escape_html;
use crate::http::prelude::*;
use crate::outbox::queues;
use crate::store::outbox::CapturedMail;

/// The Content-Security-Policy of the page and of the frame with a mail's HTML part, which has inline styles. The
/// policy permits no script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; \
    frame-ancestors 'none'; form-action 'none'";

#[derive(Template)]
#[template(path = "mail_viewer.html")]
struct MailViewer {
    style: &'static str,
    mails: Vec<ViewedMail>,
    selected: Option<ViewedMail>,
}

#[derive(Clone)]
struct ViewedMail {
    id: Uuid,
    subject: String,
    to: String,
    at: String,
    /// The HTML part of the mail, whose links open in the window instead of the frame.
    html: String,
    /// The text part of the mail as HTML.
    text: String,
}

impl From<&CapturedMail> for ViewedMail {
    fn from(mail: &CapturedMail) -> ViewedMail {
        let at = jiff::Timestamp::from_millisecond(mail.created_at).unwrap_or_default();
        let window = "<head><base target=\"_top\">";
        ViewedMail {
            id: mail.id,
            subject: mail.subject.clone(),
            to: mail.to.clone(),
            at: at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
            html: mail.html.replacen("<head>", window, 1),
            text: link_urls(&mail.text),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct SelectedMailQuery {
    id: Option<Uuid>,
}

/// Lists the captured mails, newest first, and shows both parts of the selected or newest mail.
pub(super) async fn mail_list(
    _: DevPagesAllowed,
    State(app): State<SharedApp>,
    Query(query): Query<SelectedMailQuery>,
) -> ApiResult<Response> {
    let captured = queues::captured_mails(&app).await?;
    let mails: Vec<_> = captured.iter().map(ViewedMail::from).collect();
    let selected = mails.iter().find(|mail| Some(mail.id) == query.id);
    let page = MailViewer {
        style: include_str!("../../../templates/mail_viewer.css"),
        selected: selected.or(mails.first()).cloned(),
        mails,
    };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
    ];
    Ok((headers, page.to_string()).into_response())
}

/// Returns `{to, subject, text, html, created_at}` of each mail, the newest first.
pub(super) async fn messages(
    _: DevPagesAllowed,
    State(app): State<SharedApp>,
) -> ApiResult<Response> {
    Ok((NO_STORE, Json(queues::captured_mails(&app).await?)).into_response())
}

/// Escapes the text, and converts each line that is a URL to a link.
fn link_urls(text: &str) -> String {
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
