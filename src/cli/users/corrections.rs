//! The commands `account users set-email` and `account users set`.

use clap::{Args, ValueEnum};
use jiff::civil::Date;

use super::{AccountSelection, CommandOptions, perform_on, print_done};
use crate::accounts::migration::completion::parse_name;
use crate::accounts::strong_factor::StrongFactor;
use crate::accounts::undo::Undone;
use crate::cli::prelude::*;
use crate::domain::username::Username;
use crate::domain::{age, country, zipcode};
use crate::error::FieldRule;
use crate::i18n::Message;
use crate::support::actions::SupportOperation;
use crate::support::corrections::{Corrections, EmailCorrection};

#[derive(Args)]
pub(in crate::cli) struct SetEmail {
    /// The new email address
    #[arg(long, value_name = "EMAIL")]
    to: String,
    /// The reason, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    selected: AccountSelection,
}

#[derive(Args)]
pub(in crate::cli) struct SetDetails {
    #[command(flatten)]
    key: EmailOrId,
    #[command(flatten)]
    details: DetailArguments,
    /// The reason, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    options: CommandOptions,
}

/// Selects the account of `users set`, but not by username, because `--username` is the new username.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct EmailOrId {
    #[arg(long)]
    email: Option<String>,
    #[arg(long)]
    id: Option<Uuid>,
}

#[derive(Args)]
#[group(required = true, multiple = true)]
struct DetailArguments {
    /// The new username; the former username is free at once
    #[arg(long)]
    username: Option<String>,
    /// ISO 3166-1 alpha-2 code in lower case
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// 2 to 12 letters, digits, spaces and hyphens
    #[arg(long, value_name = "CODE")]
    zipcode: Option<String>,
    /// YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    birthday: Option<String>,
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// Withdraw the consent to the newsletter; only the person can give the consent
    #[arg(long)]
    newsletter: Option<Newsletter>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Newsletter {
    Off,
}

impl SetEmail {
    pub(super) async fn run(&self) -> CommandResult {
        let new = Email::parse(&self.to).map_err(|rule| wrong_argument("--to", rule))?;
        let operation = SupportOperation::SetEmail(&new);
        let AccountSelection { key, options } = &self.selected;
        let done = perform_on(key.parse(), options, Some(&self.reason), operation).await?;
        match done {
            Some(EmailCorrection::Asked) if options.json => print_json(json!({"email": "asked"})),
            Some(EmailCorrection::Asked) => {
                print_message!("account: waiting for {} to confirm", self.to.trim());
                Ok(())
            }
            Some(EmailCorrection::Undone(undone)) => print_undone(&undone, options.json),
            Some(EmailCorrection::Set) if options.json => print_json(json!({"email": "set"})),
            Some(EmailCorrection::Set) | None => print_done(options),
        }
    }
}

/// Prints the result of a command, with `"done": true` as after every command.
fn print_json(mut result: Value) -> CommandResult {
    result["done"] = true.into();
    output::print_line(result)?;
    Ok(())
}

/// Prints what an undo has removed and what remains, so that the operator can ask the person about each factor.
fn print_undone(undone: &Undone, as_json: bool) -> CommandResult {
    if as_json {
        let factor = |factor: &StrongFactor| json!({"passkey": factor.passkey, "added_at": rfc3339(factor.added_at)});
        return print_json(json!({
            "email": "undone",
            "taken": undone.is_taken,
            "password_ended": undone.has_password_ended,
            "removed": undone.removed.iter().map(factor).collect::<Vec<_>>(),
            "remaining": undone.remaining.iter().map(factor).collect::<Vec<_>>(),
        }));
    }
    print_message!("account: the change of the email address is undone, with all that came later");
    if undone.is_taken {
        print_message!(
            "the address belongs to another account, so this account has none; a mailed link restores it once it is free"
        );
    }
    if undone.has_password_ended {
        print_message!(
            "the password has ended; a mailed link sets a new one (a disabled account gets it by `resend --kind reset` \
            after `enable`)"
        );
    }
    for (what, factors) in [("removed", &undone.removed), ("remains", &undone.remaining)] {
        for factor in factors {
            let at = rfc3339(factor.added_at);
            match &factor.passkey {
                Some(name) => print_message!("{what}: passkey {name}, added {at}"),
                None => print_message!("{what}: authenticator app, added {at}"),
            }
        }
    }
    Ok(())
}

impl SetDetails {
    pub(super) async fn run(&self) -> CommandResult {
        let corrections = self.details.parse()?;
        let operation = SupportOperation::SetDetails(&corrections);
        let key = match &self.key.email {
            Some(email) => Email::parse(email).ok().map(AccountKey::Email),
            None => self.key.id.map(AccountKey::Id),
        };
        perform_on(key, &self.options, Some(&self.reason), operation).await?;
        print_done(&self.options)
    }
}

impl DetailArguments {
    /// Checks the details by the rules of the registration form. Clap does not parse the arguments, because its message
    /// would repeat their values.
    fn parse(&self) -> CommandResult<Corrections> {
        Ok(Corrections {
            username: parse("--username", self.username.as_deref(), Username::parse)?,
            country: parse("--country", self.country.as_deref(), |code| {
                country::parse(code).map(str::to_owned)
            })?,
            zipcode: parse("--zipcode", self.zipcode.as_deref(), zipcode::parse)?,
            birthday: parse("--birthday", self.birthday.as_deref(), parse_birthday)?,
            first_name: parse("--first-name", self.first_name.as_deref(), parse_name)?,
            last_name: parse("--last-name", self.last_name.as_deref(), parse_name)?,
            ends_newsletter: self.newsletter.is_some(),
        })
    }
}

fn parse<T>(
    argument: &str,
    text: Option<&str>,
    rule: impl Fn(&str) -> Result<T, FieldRule>,
) -> CommandResult<Option<T>> {
    let parsed = text.map(rule).transpose();
    parsed.map_err(|broken| wrong_argument(argument, broken))
}

fn parse_birthday(text: &str) -> Result<Date, FieldRule> {
    let date: Date = text.parse().map_err(|_| FieldRule::BirthdayInvalid)?;
    let today = Clock::System.today();
    let (day, month, year) = (date.day().into(), date.month().into(), date.year().into());
    age::birthday(day, month, year, today)
}

fn wrong_argument(argument: &str, rule: FieldRule) -> CommandError {
    let message = Message::from(rule).text(Language::En);
    CommandError::Usage(format!("{argument}: {message}"))
}
