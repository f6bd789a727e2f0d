//! Generates the enums `Language` and `Message` and the catalogues of `src/i18n.rs` from `locales/*.json`. A missing
//! key or a differing placeholder fails the build with the file and the key, so that no raw key ever
//! reaches a reader. Also generates the list `PAGES` of `src/http/pages/page.rs` from `web/screens.json`.

mod catalogues;
mod locales;
mod mail_texts;
mod messages;
mod names;
mod pages;
mod version;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use catalogues::{NOT_FOR_BOOT, NOT_FOR_BROWSERS, NOT_FOR_SUPPORT};
use pages::SCREENS;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=locales");
    println!("cargo::rerun-if-changed={SCREENS}");
    version::set_version();
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(faults) => {
            for fault in faults {
                println!("cargo::error={fault}");
            }
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Vec<String>> {
    let out =
        PathBuf::from(env::var("OUT_DIR").map_err(|error| vec![format!("OUT_DIR: {error}")])?);
    let locales = locales::read_all()?;
    for locale in &locales {
        let name = &locale.language;
        write(
            &out.join(format!("catalogue.{name}.json")),
            &catalogues::catalogue_without(locale, NOT_FOR_BROWSERS),
        )?;
        write(
            &out.join(format!("boot.{name}.json")),
            &catalogues::catalogue_without(locale, NOT_FOR_BOOT),
        )?;
        write(
            &out.join(format!("support.{name}.json")),
            &catalogues::catalogue_without(locale, NOT_FOR_SUPPORT),
        )?;
    }
    let english = &locales[0];
    write(
        &out.join("mail_texts.rs"),
        &mail_texts::generate_mail_texts(english)?,
    )?;
    write(
        &out.join("languages.rs"),
        &catalogues::generate_languages(&locales),
    )?;
    write(
        &out.join("messages.rs"),
        &messages::generate_messages(&locales)?,
    )?;
    let pages = pages::generate_pages(&english.leaves)
        .map_err(|fault| vec![format!("{SCREENS}: {fault}")])?;
    write(&out.join("pages.rs"), &pages)
}

fn write(path: &Path, text: &str) -> Result<(), Vec<String>> {
    fs::write(path, text).map_err(|error| vec![format!("{}: {error}", path.display())])
}
