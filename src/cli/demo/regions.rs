//! Seven regions of the fan site of an invented series, with the brands of `config.regions.example.toml`. Every name
//! under `localhost` is this machine (RFC 6761 section 6.3), so the hosts need no name server.

use crate::config::{Analytics, Landscape, Links, MigrationZip, PasskeyScope, Region};

/// The id, brand, accent, landscape, locale and time zone of each region.
const SAMPLE_REGIONS: &str = "\
us|Moonhill|#ffd21f|hills|en-US|America/New_York
us-west|Moonhill West|#ff9f43|sky|en-US|America/Los_Angeles
de|Mondhügel|#ffd21f|hills|de-DE|Europe/Berlin
uk|Moonhill UK|#9aa5ff|hills|en-GB|Europe/London
nordics|Moonhill Nordics|#7fdbff|sky|sv-SE|Europe/Stockholm
br|Morro da Lua|#5ee08a|hills|pt-BR|America/Sao_Paulo
latam|Loma Luna|#ffd21f|hills|es-MX|America/Mexico_City";

pub(super) fn sample_regions() -> Vec<Region> {
    SAMPLE_REGIONS.lines().map(parse_region).collect()
}

fn parse_region(sample: &str) -> Region {
    let mut cells = sample.split('|');
    let mut cell = || cells.next().expect("every sample has six cells");
    let (id, brand, accent, landscape) = (cell(), cell(), cell(), cell());
    let (locale, timezone) = (cell(), cell());
    let (language, country) = locale.split_once('-').expect("a language and a country");
    Region {
        id: id.into(),
        hosts: vec![format!("{id}.localhost")],
        brand: brand.into(),
        accent: accent.parse().expect("the test reads all of them"),
        landscape: match landscape {
            "sky" => Landscape::Sky,
            _ => Landscape::Hills,
        },
        locale: locale.into(),
        timezone: timezone.into(),
        environment: "dev".into(),
        links: Links::placeholders(id),
        country_code: Some(country.to_ascii_lowercase()),
        analytics: Analytics {
            brand: Some("moonhill".into()),
            region: Some(id.into()),
            language: Some(language.into()),
        },
        migration_zip: match country {
            "US" => MigrationZip::Us,
            _ => MigrationZip::Any,
        },
        // Passkeys are not shared between hosts, because browsers fetch related origins only by https.
        passkeys: PasskeyScope::Own,
        ..Region::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Config};

    #[test]
    fn the_sample_is_a_configuration_without_problems() {
        let config = Config {
            regions: sample_regions(),
            ..Config::default()
        };
        assert_eq!(config::problems(&config), Vec::<String>::new());
        assert_eq!(config.region("de.localhost").timezone, "Europe/Berlin");
    }
}
