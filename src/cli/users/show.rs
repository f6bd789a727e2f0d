//! `account users show`: the state of an account, for people or as JSON.

use super::AccountSelection;
use crate::cli::prelude::*;
use crate::support::audited::SupportActor;
use crate::support::lookup::{self, AccountSummary};
use crate::support::views::{self, SupportDetails};

pub(super) async fn run(selected: &AccountSelection, former: Option<&str>) -> CommandResult {
    let AccountSelection { key, options } = selected;
    let operator = options.operator.name()?;
    let app = open_app(options.settings.load()?).await?;
    let actor = SupportActor::Operator(&operator);
    let key = match former {
        Some(email) => Email::parse(email).ok().map(AccountKey::FormerEmail),
        None => key.parse(),
    };
    let found = lookup::find(&app, actor, key.as_ref()).await?;
    let summary = found.ok_or(ApiError::from(ErrorCode::NotFound))?;
    let more = views::support_details(&app, summary.id).await?;
    if options.json {
        output::print(format_args!("{:#}\n", as_json(&summary, &more)))?;
        return Ok(());
    }
    for line in text_lines(&summary, &more) {
        output::print_line(line)?;
    }
    Ok(())
}

fn as_json(summary: &AccountSummary, more: &SupportDetails) -> Value {
    json!({
        "account": account_json(summary),
        "devices": &more.devices,
        "sessions": more.sessions.iter().map(|session| json!({
            "device_id": session.device_id,
            "started_at": rfc3339(session.created_at),
            "last_used_at": rfc3339(session.last_used_at),
            "expires_at": rfc3339(session.expires_at),
            "methods": session.methods,
        })).collect::<Vec<_>>(),
        "mails": &more.mails,
        "events": &more.events,
    })
}

fn account_json(summary: &AccountSummary) -> Value {
    json!({
        "id": summary.id,
        "username": summary.username,
        "email": summary.email,
        "pending_email": summary.pending_email,
        "birthday": summary.birthday,
        "legacy_id": summary.legacy_id,
        "state": summary.state,
        "created_at": summary.created_at.map(rfc3339),
        "verified": summary.verified,
        "last_seen_at": summary.last_seen_at.map(rfc3339),
        "region": summary.region,
        "language": summary.language,
        "devices": summary.devices,
        "passkeys": summary.passkeys,
        "second_factor": summary.second_factor,
        "deletion_at": summary.deletion_at.map(rfc3339),
        "bounced_at": summary.bounced.as_ref().map(|bounced| rfc3339(bounced.at)),
        "bounce_status": summary.bounced.as_ref().and_then(|bounced| bounced.status.as_deref()),
    })
}

fn text_lines(summary: &AccountSummary, more: &SupportDetails) -> Vec<String> {
    let mut text = Vec::new();
    if let Value::Object(fields) = account_json(summary) {
        for (name, value) in fields {
            let value = match value {
                Value::String(value) => value,
                Value::Null => "-".to_owned(),
                value => value.to_string(),
            };
            text.push(format!("{name:<14} {value}"));
        }
    }
    let devices = more.devices.iter();
    let devices = devices.map(|one| format!("{}  {}", rfc3339(one.last_used_at), one.name));
    append_section(&mut text, "Devices, by last use", devices.collect());
    let sessions = more.sessions.iter().map(|one| {
        let (start, end) = (rfc3339(one.created_at), rfc3339(one.expires_at));
        format!("{start} to {end}  {}", one.methods)
    });
    append_section(&mut text, "Sessions", sessions.collect());
    let mails = more.mails.iter().map(|mail| {
        let state = match (mail.sent_at, mail.failed_at, &mail.error) {
            (Some(at), ..) => format!("sent {}", rfc3339(at)),
            (_, Some(at), error) => {
                let error = error.as_deref().unwrap_or_default();
                format!("given up {}: {error}", rfc3339(at))
            }
            (_, _, Some(error)) => format!("waits: {error}"),
            (_, _, None) => "waits".to_owned(),
        };
        format!("{}  {}  {state}", rfc3339(mail.queued_at), mail.kind)
    });
    append_section(&mut text, "Mails", mails.collect());
    let events = more.events.iter().map(|event| {
        let device = event.device_name.as_deref().unwrap_or("-");
        let network = event.network.as_deref().unwrap_or("-");
        let at = rfc3339(event.at);
        format!("{at}  {}  {}  {device}  {network}", event.kind, event.actor)
    });
    append_section(&mut text, "Events", events.collect());
    text
}

fn append_section(text: &mut Vec<String>, title: &str, lines: Vec<String>) {
    text.extend([String::new(), title.to_owned()]);
    if lines.is_empty() {
        text.push("  none".to_owned());
    }
    text.extend(lines.iter().map(|line| format!("  {line}")));
}
