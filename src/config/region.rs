//! A region, which contains the settings that differ between the hosts of the site.

use serde::{Deserialize, Serialize};

use super::Accent;
use super::section::config_sections;
use crate::domain::zipcode::MigrationZip;
use crate::i18n::Language;

config_sections! {
    pub struct Region {
        pub id: String = "us".into(),
        pub hosts: Vec<String> = Vec::new(),
        pub brand: String = "Account".into(),
        pub logo: Option<String> = None,
        pub avatar_images: Option<String> = None,
        pub accent: Accent = Accent::default(),
        pub landscape: Landscape = Landscape::Hills,
        pub mail_from: Option<String> = None,
        pub locale: String = "en-US".into(),
        pub timezone: String = "America/New_York".into(),
        pub environment: String = "dev".into(),
        /// The links in the header and the footer. A configured region has no links by default, but the implicit
        /// default region has placeholder links.
        #[serde(default)]
        pub links: Links = Links::placeholders("us"),
        pub translation_source_language: Option<String> = None,
        pub auth_client_id: Option<String> = None,
        pub country_code: Option<String> = Some("us".into()),
        pub analytics: Analytics = Analytics::default(),
        pub consent: Option<Consent> = None,
        pub migration_zip: MigrationZip = MigrationZip::Us,
        pub migration_form: CompletionVariant = CompletionVariant::Full,
        pub passkeys: PasskeyScope = PasskeyScope::Related,
    }
}

/// The relying party that the passkeys of a region's hosts belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PasskeyScope {
    /// The passkeys belong to `passkeys.rp_id`, and all hosts use them as related origins (WebAuthn Level 3 section
    /// 5.11).
    Related,
    /// The passkeys of each host belong to this host only.
    Own,
    /// The hosts have no passkeys.
    Off,
}

/// The background picture of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Landscape {
    Hills,
    /// The picture shows moon and stars, but no hills.
    Sky,
    /// The pages have no picture, but the plain colours of the night sky.
    None,
}

/// The variant of the completion form. The full form asks for names and the day of birth, the short form does not.
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
    /// Returns each URL with the name of its setting.
    pub(super) fn urls(&self) -> [(&'static str, &str); 2] {
        [
            ("consent.script_url", &self.script_url),
            ("consent.boot_url", &self.boot_url),
        ]
    }
}

impl Links {
    /// Returns links to the placeholder pages, which `pages::placeholders` serves until the operator provides real
    /// pages.
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

    /// Returns each link with the name of its setting.
    pub fn with_names(&self) -> [(&'static str, Option<&str>); 6] {
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

impl Region {
    /// Returns the language of the region's locale. If that language is not supported, returns the language of
    /// `translation_source_language`, or English if neither is supported.
    pub fn language(&self) -> Language {
        let source = || self.translation_source_language.as_deref();
        Language::from_tag(&self.locale)
            .or_else(|| Language::from_tag(source()?))
            .unwrap_or(Language::En)
    }

    /// Returns whether English texts of this region use the 12-hour clock (CLDR, `timeFormats` of English), which
    /// depends on the country of the locale.
    pub fn is_12_hour_clock(&self) -> bool {
        let country = self.locale.rsplit(['-', '_']).next().unwrap_or_default();
        let countries = ["US", "CA", "AU", "NZ", "IN", "PH"];
        countries
            .iter()
            .any(|known| known.eq_ignore_ascii_case(country))
    }
}

#[cfg(test)]
mod tests {
    use super::Region;

    #[test]
    fn the_country_of_the_locale_decides_about_the_clock() {
        for (locale, is_12_hour_clock) in [
            ("en-US", true),
            ("en_AU", true),
            ("en-GB", false),
            ("sv-SE", false),
            ("en", false),
        ] {
            let locale = locale.to_owned();
            let region = Region {
                locale,
                ..Region::default()
            };
            assert_eq!(region.is_12_hour_clock(), is_12_hour_clock, "{region:?}");
        }
    }
}
