//! A region: what differs by host (specification 3, "Regional configuration").

use serde::{Deserialize, Serialize};

use crate::words::Language;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Region {
    pub id: String,
    /// Host names without a port.
    pub hosts: Vec<String>,
    pub brand: String,
    pub locale: String,
    pub timezone: String,
    /// dev, stage, preProd or prod.
    pub environment: String,
    pub links: Links,
    pub translation_source_language: Option<String>,
    pub auth_client_id: Option<String>,
    pub country_code: Option<String>,
    pub analytics: Analytics,
    pub consent: Option<Consent>,
    pub migration_zip: MigrationZip,
}

/// Whether the zip code of a migration is a US one or as free as at registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MigrationZip {
    Us,
    Any,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Links {
    pub terms: Option<String>,
    pub privacy: Option<String>,
    pub contact: Option<String>,
    pub avatar_creator: Option<String>,
    pub episodes: Option<String>,
    pub random_episode: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Analytics {
    pub brand: Option<String>,
    pub region: Option<String>,
    pub language: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consent {
    pub id: String,
    pub script_url: String,
    pub boot_url: String,
}

impl Default for Region {
    fn default() -> Self {
        Region {
            id: "us".into(),
            hosts: Vec::new(),
            brand: "Account".into(),
            locale: "en-US".into(),
            timezone: "America/New_York".into(),
            environment: "dev".into(),
            links: Links::default(),
            translation_source_language: None,
            auth_client_id: None,
            country_code: Some("us".into()),
            analytics: Analytics::default(),
            consent: None,
            migration_zip: MigrationZip::Us,
        }
    }
}

impl Region {
    /// The language of the region's locale; English when we do not speak it.
    pub fn language(&self) -> Language {
        let primary = self.locale.split('-').next().unwrap_or_default();
        Language::from_code(primary).unwrap_or(Language::En)
    }
}
