//! Zip codes. Registration accepts any format, but the migration in a region can require the US format.

use serde::{Deserialize, Serialize};

use crate::domain::field_rule::FieldRule;
use crate::domain::visible_text;

/// The format of a zip code in the migration form: `us` for the US format, `any` for the format of the registration
/// form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MigrationZip {
    Us,
    Any,
}

/// Parses a zip code of 2 to 12 letters, digits, spaces and hyphens, as keyboards of any language type it.
pub fn parse(text: &str) -> Result<String, FieldRule> {
    let text: String = visible_text::unify_separators(visible_text::trim(text)).collect();
    let fits = (2..=12).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b' ' || b == b'-');
    fits.then_some(text).ok_or(FieldRule::ZipcodeInvalid)
}

/// Parses the zip code of a migration. In a region with `migration_zip = "us"`, a zip code has 5 digits, or 5 digits, a
/// hyphen and 4 digits.
pub fn parse_migration(text: &str, rule: MigrationZip) -> Result<String, FieldRule> {
    let text = parse(text)?;
    let digits = |part: &str, n| part.len() == n && part.bytes().all(|b| b.is_ascii_digit());
    let us = match text.split_once('-') {
        None => digits(&text, 5),
        Some((five, four)) => digits(five, 5) && digits(four, 4),
    };
    match rule {
        MigrationZip::Us if !us => Err(FieldRule::ZipcodeInvalid),
        _ => Ok(text),
    }
}
