//! Seven regions of an invented series, in the brands of `config.regions.example.toml`. Every name
//! under `localhost` is this machine (RFC 6761 section 6.3), so the hosts need no name server.

use crate::config::{Analytics, Landscape, Links, MigrationZip, PasskeyScope, Region};

struct SampleRegion {
    id: &'static str,
    brand: &'static str,
    accent: &'static str,
    landscape: Landscape,
    locale: &'static str,
    timezone: &'static str,
    country: &'static str,
    zip: MigrationZip,
}

const SAMPLES: [SampleRegion; 7] = [
    SampleRegion {
        id: "us",
        brand: "Moonhill",
        accent: "#ffd21f",
        landscape: Landscape::Hills,
        locale: "en-US",
        timezone: "America/New_York",
        country: "us",
        zip: MigrationZip::Us,
    },
    SampleRegion {
        id: "us-west",
        brand: "Moonhill West",
        accent: "#ff9f43",
        landscape: Landscape::Sky,
        locale: "en-US",
        timezone: "America/Los_Angeles",
        country: "us",
        zip: MigrationZip::Us,
    },
    SampleRegion {
        id: "de",
        brand: "Mondhügel",
        accent: "#ffd21f",
        landscape: Landscape::Hills,
        locale: "de-DE",
        timezone: "Europe/Berlin",
        country: "de",
        zip: MigrationZip::Any,
    },
    SampleRegion {
        id: "uk",
        brand: "Moonhill UK",
        accent: "#9aa5ff",
        landscape: Landscape::Hills,
        locale: "en-GB",
        timezone: "Europe/London",
        country: "gb",
        zip: MigrationZip::Any,
    },
    SampleRegion {
        id: "nordics",
        brand: "Moonhill Nordics",
        accent: "#7fdbff",
        landscape: Landscape::Sky,
        locale: "sv-SE",
        timezone: "Europe/Stockholm",
        country: "se",
        zip: MigrationZip::Any,
    },
    SampleRegion {
        id: "br",
        brand: "Morro da Lua",
        accent: "#5ee08a",
        landscape: Landscape::Hills,
        locale: "pt-BR",
        timezone: "America/Sao_Paulo",
        country: "br",
        zip: MigrationZip::Any,
    },
    SampleRegion {
        id: "latam",
        brand: "Loma Luna",
        accent: "#ffd21f",
        landscape: Landscape::Hills,
        locale: "es-MX",
        timezone: "America/Mexico_City",
        country: "mx",
        zip: MigrationZip::Any,
    },
];

pub(super) fn sample_regions() -> Vec<Region> {
    SAMPLES.iter().map(region).collect()
}

fn region(sample: &SampleRegion) -> Region {
    Region {
        id: sample.id.into(),
        hosts: vec![format!("{}.localhost", sample.id)],
        brand: sample.brand.into(),
        accent: sample.accent.parse().expect("the test reads all of them"),
        landscape: sample.landscape,
        locale: sample.locale.into(),
        timezone: sample.timezone.into(),
        environment: "dev".into(),
        links: Links::placeholders(sample.id),
        country_code: Some(sample.country.into()),
        analytics: Analytics {
            brand: Some("moonhill".into()),
            region: Some(sample.id.into()),
            language: sample.locale.split('-').next().map(str::to_owned),
        },
        migration_zip: sample.zip,
        // Browsers ask for related origins by https only.
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
