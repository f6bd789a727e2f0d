//! Writes `index.html`, the page of an export for people, without scripts and external resources.

use std::io;

use askama::Template;

use super::JSON_FILE_NAME;
use super::section::{ExportTexts, ExportedDocument, Section};
use crate::config::Region;
use crate::i18n::{Language, Message};
use crate::mail;

/// The data of the page template. Askama escapes every value.
#[derive(Template)]
#[template(path = "export.html")]
struct ExportPage<'a> {
    language: &'static str,
    title: String,
    lead: String,
    none: &'static str,
    sections: Vec<Section<'a>>,
}

pub(super) fn write(
    mut file: &mut dyn io::Write,
    region: &Region,
    document: &impl ExportedDocument,
    language: Language,
    now: i64,
) -> io::Result<()> {
    let texts = ExportTexts::new(language, region);
    let time = mail::time_in_words(region, now, language);
    let page = ExportPage {
        language: language.code(),
        title: Message::ExportTitle.format(language, &[("brand", &region.brand)]),
        lead: Message::ExportLead.format(language, &[("time", &time), ("file", JSON_FILE_NAME)]),
        none: Message::ExportNone.text(language),
        sections: document.sections(&texts),
    };
    page.write_into(&mut file)
}
