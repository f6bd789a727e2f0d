//! A region, which contains the settings that differ between the hosts of the site.

use super::section::{choices, sections};
use super::{Accent, Config};
use crate::domain::zipcode::MigrationZip;
use crate::i18n::Language;

sections! {
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
        pub translation_source_language: Option<String>,
        pub auth_client_id: Option<String>,
        pub country_code: Option<String>,
        pub migration_zip: MigrationZip,
        pub migration_form: CompletionVariant,
        pub passkeys: PasskeyScope,
        /// The links in the header and the footer. A configured region has no links by default, but the default region
        /// has placeholder links.
        #[serde(default)]
        pub links: Links,
        pub analytics: Analytics,
        pub consent: Option<Consent>,
    }

    #[derive(Default, utoipa::ToSchema)]
    #[serde(default)]
    pub struct Links {
        pub terms: Option<String>,
        pub privacy: Option<String>,
        pub contact: Option<String>,
        pub avatar_creator: Option<String>,
        pub episodes: Option<String>,
        pub random_episode: Option<String>,
    }

    #[derive(Default, utoipa::ToSchema)]
    #[serde(default)]
    pub struct Analytics {
        pub brand: Option<String>,
        pub region: Option<String>,
        pub language: Option<String>,
    }

    #[derive(utoipa::ToSchema)]
    pub struct Consent {
        pub id: String,
        pub script_url: String,
        pub boot_url: String,
    }
}

choices! {
    /// The relying party that the passkeys of a region's hosts belong to.
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
    pub enum Landscape {
        Hills,
        /// The picture shows moon and stars, but no hills.
        Sky,
        /// The pages have no picture, but the plain colours of the night sky.
        None,
    }

    /// The variant of the completion form. The full form asks for names and the day of birth, the short form does not.
    #[derive(utoipa::ToSchema)]
    pub enum CompletionVariant {
        Full,
        Short,
    }
}

/// The codes of ISO 639-1.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da \
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io \
    is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my \
    na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so \
    sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Returns the code of the language in a locale such as `de`, `zh-Hant-TW` or `de_DE`.
pub(super) fn language_code(locale: &str) -> Option<&str> {
    let parts: Vec<_> = locale.split(['-', '_']).collect();
    let is_region = |part: &str| {
        matches!(
            (part.len(), part.bytes().all(|b| b.is_ascii_digit())),
            (2, false) | (3, true)
        )
    };
    let (language, is_known_form) = match parts[..] {
        [language] => (language, true),
        [language, part] => (language, part.len() == 4 || is_region(part)),
        [language, script, region] => (language, script.len() == 4 && is_region(region)),
        _ => return None,
    };
    let is_word = |part: &&str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_language = (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_known_form && is_language && parts.iter().all(is_word)).then_some(language)
}

/// Returns whether a code of two letters is no language. Codes of three letters are not checked.
pub(super) fn is_unknown_language(code: &str) -> bool {
    code.len() == 2
        && !LANGUAGES
            .split(' ')
            .any(|known| known.eq_ignore_ascii_case(code))
}

impl Default for Region {
    /// Returns the region of a site that configures none.
    fn default() -> Region {
        Config::default().regions.remove(0)
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
    use super::*;

    #[test]
    fn a_locale_begins_with_the_code_of_a_language() {
        for (locale, code) in [
            ("en-US", Some("en")),
            ("de_DE", Some("de")),
            ("de", Some("de")),
            ("zh-Hant-TW", Some("zh")),
            ("es-419", Some("es")),
            ("gsw-CH", Some("gsw")),
            ("12", None),
            ("de-", None),
            ("", None),
            ("deutsch", None),
            ("en-US-x", None),
            ("d\u{e9}-DE", None),
        ] {
            assert_eq!(language_code(locale), code, "{locale}");
            assert!(!code.is_some_and(is_unknown_language), "{locale}");
        }
        assert!(is_unknown_language("xx"));
    }

    #[test]
    fn zones_are_known_on_a_machine_that_has_no_list_of_them() {
        let zones = jiff::tz::TimeZoneDatabase::bundled();
        for name in ["America/New_York", "Europe/Berlin", "America/Sao_Paulo"] {
            assert!(zones.get(name).is_ok(), "{name}");
        }
    }

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
