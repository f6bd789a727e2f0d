//! Generates the texts of each mail from its section of the locale files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::locales::{Locale, locale_path};
use crate::names::camel_case;

/// Sections of `mail` that all mails share. Every other section has the texts of one mail.
const SHARED_BY_MAILS: &[&str] = &["frame", "duration"];
/// The fields of `MailTexts`, each with whether a mail may lack the text.
const MAIL_TEXTS: [(&str, bool); 8] = [
    ("subject", false),
    ("preheader", false),
    ("title", false),
    ("body", false),
    ("button", true),
    ("note", true),
    ("second", true),
    ("reason", false),
];

/// Returns the Rust source of the function that finds the texts of a mail. That function runs at compile time, so that
/// a mail without texts fails the build.
pub(crate) fn generate_mail_texts(english: &Locale) -> Result<String, Vec<String>> {
    let mut mails: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for key in english.leaves.keys() {
        let mut parts = key.splitn(3, '.');
        if let (Some("mail"), Some(name), Some(field)) = (parts.next(), parts.next(), parts.next())
            && !SHARED_BY_MAILS.contains(&name)
        {
            mails.entry(name).or_default().insert(field);
        }
    }
    let path = locale_path(&english.language);
    let mut faults = Vec::new();
    let mut arms = String::new();
    for (name, mut found) in mails {
        let _ = write!(arms, "            b{name:?} => &MailTexts {{ ");
        for (field, is_optional) in MAIL_TEXTS {
            let message = format!("Message::{}", camel_case(&format!("mail.{name}.{field}")));
            let value = match (found.remove(field), is_optional) {
                (true, false) => message,
                (true, true) => format!("Some({message})"),
                (false, true) => "None".to_owned(),
                (false, false) => {
                    faults.push(format!("{path}: mail.{name}.{field} is missing"));
                    continue;
                }
            };
            let _ = write!(arms, "{field}: {value}, ");
        }
        faults.extend(found.iter().map(|field| {
            format!("{path}: mail.{name}.{field} is unknown; no mail has such a text")
        }));
        arms.push_str("},\n");
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(format!(
        "impl MailTexts {{\n    /// The texts of the section `mail.NAME`.\n    \
         pub(crate) const fn of(name: &str) -> &'static MailTexts {{\n        \
         match name.as_bytes() {{\n{arms}            \
         _ => panic!(\"locales/*.json have no section of this name under `mail`\"),\n        \
         }}\n    }}\n}}\n"
    ))
}
