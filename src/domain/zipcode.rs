//! Zip codes: any format at registration, US format if the region's migration requires it.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::domain::rule::Rule;

/// Whether the zip code of a migration must be a US one, or may have any format, as at registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MigrationZip {
    Us,
    Any,
}

/// 2 to 12 characters from letters, digits, space and hyphen. Returns it in NFKC: keyboards for Japanese and Chinese
/// type full-width digits.
pub fn parse(text: &str) -> Result<String, Rule> {
    let text: String = text.nfkc().collect();
    let text = text.trim();
    let fits = (2..=12).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b' ' || b == b'-');
    fits.then(|| text.to_owned()).ok_or(Rule::ZipcodeInvalid)
}

/// The rule of a migration: 5 digits, or 5, hyphen, 4, in a region with `us`.
pub fn parse_migration(text: &str, rule: MigrationZip) -> Result<String, Rule> {
    let text = parse(text)?;
    let digits = |part: &str, n| part.len() == n && part.bytes().all(|b| b.is_ascii_digit());
    let us = match text.split_once('-') {
        None => digits(&text, 5),
        Some((five, four)) => digits(five, 5) && digits(four, 4),
    };
    match rule {
        MigrationZip::Us if !us => Err(Rule::ZipcodeInvalid),
        _ => Ok(text),
    }
}
