//! Generates the enums `Language` and `Message` and the catalogues of `src/i18n.rs` from `locales/*.json`. A missing
//! key or a differing placeholder fails the build with the file and the key, so that no raw key ever
//! reaches a reader. Also generates the list `PAGES` of `src/http/pages/page.rs` from `web/screens.json`.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

/// The reference for the other languages.
const REFERENCE: &str = "en";
/// Sections with messages for Rust code. The others are for the screens only.
const SERVER_SECTIONS: [&str; 5] = ["error", "answer", "placeholder", "export", "mail"];
/// Sections that the catalogues exclude, because only the server uses them.
const NOT_FOR_BROWSERS: &[&str] = &["mail", "placeholder", "export"];
/// The boot catalogue also excludes the country names, which are large and needed by two screens only.
const NOT_FOR_BOOT: &[&str] = &["mail", "placeholder", "export", "countryvalues"];
/// The table of screens, which the front end documents (`web/src/screens.ts`).
const SCREENS: &str = "web/screens.json";

/// Sections of `mail` that all mails share. Each other one has the texts of one mail.
const SHARED_BY_MAILS: &[&str] = &["frame", "month", "duration"];
/// The fields of `MailTexts`, and whether a mail may lack them.
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

/// Dotted key to text, of one language.
type Leaves = BTreeMap<String, String>;

struct Locale {
    language: String,
    sections: Map<String, Value>,
    leaves: Leaves,
}

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=locales");
    println!("cargo::rerun-if-changed={SCREENS}");
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
    let mut locales = Vec::new();
    let mut faults = Vec::new();
    for language in languages()? {
        match read(language) {
            Ok(locale) => locales.push(locale),
            Err(mut found) => faults.append(&mut found),
        }
    }
    if let Some((english, others)) = locales.split_first() {
        for other in others {
            compare(english, other, &mut faults);
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    for locale in &locales {
        let name = &locale.language;
        write(
            &out.join(format!("catalogue.{name}.json")),
            &without(locale, NOT_FOR_BROWSERS),
        )?;
        write(
            &out.join(format!("boot.{name}.json")),
            &without(locale, NOT_FOR_BOOT),
        )?;
    }
    write(&out.join("mail_texts.rs"), &mail_texts(&locales[0])?)?;
    write(&out.join("languages.rs"), &language_enum(&locales))?;
    write(&out.join("messages.rs"), &messages(&locales)?)?;
    let pages = pages(&locales[0].leaves).map_err(|fault| vec![format!("{SCREENS}: {fault}")])?;
    write(&out.join("pages.rs"), &pages)
}

/// The codes of the languages, which are the names of the files. The reference is the first.
fn languages() -> Result<Vec<String>, Vec<String>> {
    let failed = |error: std::io::Error| vec![format!("locales: {error}")];
    let mut codes = vec![REFERENCE.to_owned()];
    for entry in fs::read_dir("locales").map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let code = name.to_str().and_then(|name| name.strip_suffix(".json"));
        match code {
            Some(REFERENCE) => {}
            Some(code) if code.len() == 2 && code.bytes().all(|c| c.is_ascii_lowercase()) => {
                codes.push(code.to_owned());
            }
            _ => {
                return Err(vec![format!(
                    "locales/{}: name it by the ISO 639-1 code of its language, like de.json",
                    name.display()
                )]);
            }
        }
    }
    codes[1..].sort_unstable();
    Ok(codes)
}

fn path(language: &str) -> String {
    format!("locales/{language}.json")
}

fn read(language: String) -> Result<Locale, Vec<String>> {
    let path = path(&language);
    let text = fs::read_to_string(&path).map_err(|error| vec![format!("{path}: {error}")])?;
    let sections: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| vec![format!("{path}: {error}")])?;
    let mut leaves = Leaves::new();
    let mut faults = Vec::new();
    for (key, value) in &sections {
        flatten(key.clone(), value, &mut leaves, &mut faults);
    }
    if !faults.is_empty() {
        return Err(faults
            .into_iter()
            .map(|fault| format!("{path}: {fault}"))
            .collect());
    }
    Ok(Locale {
        language,
        sections,
        leaves,
    })
}

fn flatten(key: String, value: &Value, leaves: &mut Leaves, faults: &mut Vec<String>) {
    match value {
        Value::Object(children) if !children.is_empty() => {
            for (name, child) in children {
                flatten(format!("{key}.{name}"), child, leaves, faults);
            }
        }
        Value::String(text) if !text.trim().is_empty() => {
            leaves.insert(key, text.clone());
        }
        _ => faults.push(format!("{key} is not a text with words in it")),
    }
}

fn compare(english: &Locale, other: &Locale, faults: &mut Vec<String>) {
    let (yardstick, path) = (path(&english.language), path(&other.language));
    for (key, text) in &english.leaves {
        let Some(translation) = other.leaves.get(key) else {
            faults.push(format!("{path}: {key} is missing ({yardstick} has it)"));
            continue;
        };
        match (placeholders(text), placeholders(translation)) {
            (Some(wanted), Some(found)) if wanted == found => {}
            (Some(wanted), Some(found)) => faults.push(format!(
                "{path}: {key} has the placeholders {found:?}, {yardstick} has {wanted:?}"
            )),
            (None, _) => faults.push(format!(
                "{yardstick}: {key} opens a placeholder and never closes it"
            )),
            (_, None) => faults.push(format!(
                "{path}: {key} opens a placeholder and never closes it"
            )),
        }
    }
    for key in other
        .leaves
        .keys()
        .filter(|key| !english.leaves.contains_key(*key))
    {
        faults.push(format!("{path}: {key} is unknown ({yardstick} lacks it)"));
    }
}

/// The names between `{{` and `}}`. `None` if one is unclosed.
fn placeholders(text: &str) -> Option<BTreeSet<&str>> {
    let mut names = BTreeSet::new();
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once("{{") {
        let (name, after) = tail.split_once("}}")?;
        names.insert(name);
        rest = after;
    }
    (!rest.contains("}}")).then_some(names)
}

fn without(locale: &Locale, left_out: &[&str]) -> String {
    let kept = locale
        .sections
        .iter()
        .filter(|(name, _)| !left_out.contains(&name.as_str()));
    Value::Object(
        kept.map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
    .to_string()
}

/// The Rust source of the enum of languages, and the files that each has.
fn language_enum(locales: &[Locale]) -> String {
    let (mut variants, mut all, mut codes) = (String::new(), String::new(), String::new());
    let (mut catalogues, mut boots) = (String::new(), String::new());
    for Locale { language: code, .. } in locales {
        let variant = camel_case(code);
        let file = |kind: &str| {
            format!("include_str!(concat!(env!(\"OUT_DIR\"), \"/{kind}.{code}.json\"))")
        };
        let _ = writeln!(variants, "    {variant},");
        let _ = write!(all, "Language::{variant}, ");
        let _ = write!(codes, "{code:?}, ");
        let _ = write!(catalogues, "{}, ", file("catalogue"));
        let _ = write!(boots, "{}, ", file("boot"));
    }
    let count = locales.len();
    let list: Vec<&str> = locales
        .iter()
        .map(|locale| locale.language.as_str())
        .collect();
    let list = list.join(", ");
    format!(
        "/// A language of the site (specification section 1). On the wire and in the database it is its\n\
         /// ISO 639-1 code.\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]\n\
         #[serde(rename_all = \"lowercase\")]\npub enum Language {{\n{variants}}}\n\n\
         impl Language {{\n    /// In the order in which the language menu shows them.\n    \
         pub const ALL: [Language; {count}] = [{all}];\n    \
         /// All codes, for messages.\n    pub(crate) const LIST: &'static str = {list:?};\n    \
         const CODES: [&'static str; {count}] = [{codes}];\n    \
         const CATALOGUES: [&'static str; {count}] = [{catalogues}];\n    \
         const BOOT_CATALOGUES: [&'static str; {count}] = [{boots}];\n}}\n\n\
         /// Sections that only the server uses: no catalogue has them.\n\
         pub(crate) const NOT_FOR_BROWSERS: &[&str] = &{NOT_FOR_BROWSERS:?};\n"
    )
}

/// The Rust source of the enum with its keys and texts.
fn messages(locales: &[Locale]) -> Result<String, Vec<String>> {
    let english = &locales[0].leaves;
    let mut keys: BTreeMap<String, &str> = BTreeMap::new();
    for key in english.keys().filter(|key| is_for_server(key)) {
        if let Some(twin) = keys.insert(camel_case(key), key) {
            return Err(vec![format!(
                "{}: {key} and {twin} make the same name",
                path(REFERENCE)
            )]);
        }
    }
    let mut variants = String::new();
    let mut texts: Vec<String> = vec![String::new(); locales.len()];
    for (variant, key) in &keys {
        let doc = format!("`{key}`: {}", english[*key]);
        let _ = writeln!(variants, "    #[doc = {doc:?}]\n    {variant},");
        for (locale, texts) in locales.iter().zip(&mut texts) {
            let _ = write!(texts, "{:?}, ", locale.leaves[*key]);
        }
    }
    let list = |items: Vec<String>| items.join(", ");
    let all = list(keys.keys().map(|v| format!("Message::{v}")).collect());
    let names = list(keys.values().map(|key| format!("{key:?}")).collect());
    let texts = list(texts.iter().map(|texts| format!("&[{texts}]")).collect());
    Ok(format!(
        "/// A text of the server's own, in every language.\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\npub enum Message {{\n{variants}}}\n\n\
         impl Message {{\n    /// Every word, sorted by name.\n    pub const ALL: &'static [Message] = &[{all}];\n    \
         const KEYS: &'static [&'static str] = &[{names}];\n    \
         /// By language and word, in the order of their variants.\n    \
         const TEXTS: &'static [&'static [&'static str]] = &[{texts}];\n\n    \
         /// The dotted path in `locales/*.json`.\n    \
         pub fn key(self) -> &'static str {{\n        Message::KEYS[self as usize]\n    }}\n\n    \
         /// The text with its placeholders as they are in the file; see [`Message::format`].\n    \
         pub fn text(self, language: Language) -> &'static str {{\n        \
         Message::TEXTS[language as usize][self as usize]\n    }}\n}}\n"
    ))
}

/// The Rust source of the lookup of a mail's texts. It runs at compile time, so that a mail without
/// texts fails the build.
fn mail_texts(english: &Locale) -> Result<String, Vec<String>> {
    let mut mails: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for key in english.leaves.keys() {
        let mut parts = key.splitn(3, '.');
        if let (Some("mail"), Some(name), Some(field)) = (parts.next(), parts.next(), parts.next())
            && !SHARED_BY_MAILS.contains(&name)
        {
            mails.entry(name).or_default().insert(field);
        }
    }
    let path = path(&english.language);
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

fn is_for_server(key: &str) -> bool {
    key.split('.')
        .next()
        .is_some_and(|section| SERVER_SECTIONS.contains(&section))
}

/// `error.invalid_token` becomes `ErrorInvalidToken`.
fn camel_case(key: &str) -> String {
    key.split(['.', '_'])
        .flat_map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters)
        })
        .collect()
}

/// The Rust source of the list of pages: all screens with an address.
fn pages(texts: &Leaves) -> Result<String, String> {
    let table = fs::read_to_string(SCREENS).map_err(|error| error.to_string())?;
    let table: Vec<Value> = serde_json::from_str(&table).map_err(|error| error.to_string())?;
    let mut pages = Vec::new();
    for screen in &table {
        let field = |name: &str| screen.get(name).and_then(Value::as_str);
        let (Some(name), Some(title)) = (field("name"), field("title")) else {
            return Err(format!("{screen} has no name or no title"));
        };
        let description = field("description");
        if let Some(key) = [Some(title), description]
            .into_iter()
            .flatten()
            .find(|key| !texts.contains_key(*key))
        {
            return Err(format!("{name}: there is no text {key}"));
        }
        let Some(path) = field("path") else {
            continue;
        };
        let path = format!("/account{path}");
        let flag = |name: &str| screen.get(name).and_then(Value::as_bool).unwrap_or(false);
        pages.push(format!(
            "Page {{ name: {name:?}, path: {path:?}, title: {title:?}, description: {description:?}, \
             tokens: &{:?}, forms: &{:?}, asks_for_session: {}, names_countries: {} }},\n",
            names(screen, "tokens"),
            names(screen, "forms"),
            flag("session"),
            flag("countries"),
        ));
    }
    Ok(format!(
        "pub const PAGES: [Page; {}] = [\n{}];\n",
        pages.len(),
        pages.concat()
    ))
}

/// The texts of a list that may be absent.
fn names<'a>(screen: &'a Value, list: &str) -> Vec<&'a str> {
    let list = screen.get(list).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn write(path: &Path, text: &str) -> Result<(), Vec<String>> {
    fs::write(path, text).map_err(|error| vec![format!("{}: {error}", path.display())])
}
