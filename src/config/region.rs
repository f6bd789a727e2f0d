//! A region: the settings that differ by host.

use serde::{Deserialize, Serialize};

use super::Accent;
use crate::domain::zipcode::MigrationZip;
use crate::i18n::Language;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Region {
    pub id: String,
    pub hosts: Vec<String>,
    pub brand: String,
    pub logo: Option<String>,
    pub avatar_images: Option<String>,
    pub accent: Accent,
    pub landscape: Landscape,
    pub mail_from: Option<String>,
    pub locale: String,
    pub timezone: String,
    pub environment: String,
    /// Default: no links for a configured region, placeholder links for the implicit default region.
    #[serde(default)]
    pub links: Links,
    pub translation_source_language: Option<String>,
    pub auth_client_id: Option<String>,
    pub country_code: Option<String>,
    pub analytics: Analytics,
    pub consent: Option<Consent>,
    pub migration_zip: MigrationZip,
    pub migration_form: CompletionVariant,
    pub passkeys: PasskeyScope,
}

/// The site that the passkeys of a region's hosts belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PasskeyScope {
    /// `passkeys.rp_id`, by related origins (WebAuthn Level 3 section 5.11).
    Related,
    /// Each host is its own site.
    Own,
    /// No passkeys.
    Off,
}

/// The illustration behind the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Landscape {
    /// Hills, moon and stars.
    Hills,
    /// Only moon and stars.
    Sky,
    /// The plain colours of the night sky.
    None,
}

/// The completion form of the screens: with names and the day of birth, or without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompletionVariant {
    Full,
    Short,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Links {
    pub terms: Option<String>,
    pub privacy: Option<String>,
    pub contact: Option<String>,
    pub avatar_creator: Option<String>,
    pub episodes: Option<String>,
    pub random_episode: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Analytics {
    pub brand: Option<String>,
    pub region: Option<String>,
    pub language: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Consent {
    pub id: String,
    pub script_url: String,
    pub boot_url: String,
}

impl Consent {
    /// Returns its addresses with the keys of their settings.
    pub(super) fn urls(&self) -> [(&'static str, &str); 2] {
        [
            ("consent.script_url", &self.script_url),
            ("consent.boot_url", &self.boot_url),
        ]
    }
}

impl Links {
    /// Returns the addresses that `pages::placeholders` serves until the operator provides better pages.
    pub fn placeholders(id: &str) -> Links {
        let legal = |page: &str| Some(format!("/legal/{id}/{page}"));
        Links {
            terms: legal("terms-of-use"),
            privacy: legal("privacy"),
            contact: legal("contact"),
            avatar_creator: Some("/avatar".into()),
            episodes: Some("/episodios".into()),
            random_episode: Some("/random-episode".into()),
        }
    }

    /// Returns each link with the key of its setting.
    pub fn all(&self) -> [(&'static str, Option<&str>); 6] {
        [
            ("terms", self.terms.as_deref()),
            ("privacy", self.privacy.as_deref()),
            ("contact", self.contact.as_deref()),
            ("avatar_creator", self.avatar_creator.as_deref()),
            ("episodes", self.episodes.as_deref()),
            ("random_episode", self.random_episode.as_deref()),
        ]
    }
}

impl Default for Region {
    fn default() -> Self {
        Region {
            id: "us".into(),
            hosts: Vec::new(),
            brand: "Account".into(),
            logo: None,
            avatar_images: None,
            accent: Accent::default(),
            landscape: Landscape::Hills,
            mail_from: None,
            locale: "en-US".into(),
            timezone: "America/New_York".into(),
            environment: "dev".into(),
            links: Links::placeholders("us"),
            translation_source_language: None,
            auth_client_id: None,
            country_code: Some("us".into()),
            analytics: Analytics::default(),
            consent: None,
            migration_zip: MigrationZip::Us,
            migration_form: CompletionVariant::Full,
            passkeys: PasskeyScope::Related,
        }
    }
}

impl Region {
    /// Returns the language of the region's locale. If it is not supported, the language of
    /// `translation_source_language`, otherwise English.
    pub fn language(&self) -> Language {
        let source = || self.translation_source_language.as_deref();
        Language::from_tag(&self.locale)
            .or_else(|| Language::from_tag(source()?))
            .unwrap_or(Language::En)
    }
}
