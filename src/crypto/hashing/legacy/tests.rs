use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::LegacyHash;

mod known_answers;
mod refusals;

/// The beginnings of passwords of the test vectors: one beyond ASCII, one with spaces around it, and one that is longer
/// than bcrypt reads (72 bytes).
const WORLD: &str = "Grüße, mañana";
const SPACED: &str = "  two spaces";
const LONG: &str = "00-Ab01-Ab";

/// A test vector of testdata/hashes.json. The program or the library in `made_by` computed the hash. It computed
/// `wordpress-bcrypt` as wp_hash_password of WordPress 6.8 does, and `drupal-sha512` as _password_crypt of Drupal 7.
#[derive(Debug, Clone, serde::Deserialize)]
struct HashVector {
    scheme: String,
    made_by: String,
    password: String,
    hash: String,
}

fn hash_vectors() -> Vec<HashVector> {
    serde_json::from_str(include_str!("../../../../testdata/hashes.json")).unwrap()
}

/// One test vector with each of these passwords per scheme, author and prefix. More vectors, with other costs and salts,
/// would only hash longer.
fn one_vector_per_prefix(passwords: [&str; 2]) -> Vec<HashVector> {
    let mut selected = hash_vectors();
    let schemes: BTreeSet<_> = selected.iter().map(|case| case.scheme.clone()).collect();
    let mut seen = BTreeSet::new();
    selected.retain(|case| {
        let at = passwords
            .iter()
            .position(|start| case.password.starts_with(start));
        let key = (
            case.scheme.clone(),
            case.made_by.clone(),
            case.hash[..3].to_owned(),
            at,
        );
        at.is_some() && seen.insert(key)
    });
    let left: BTreeSet<_> = selected.iter().map(|case| case.scheme.clone()).collect();
    assert_eq!(left, schemes);
    selected
}

fn parse(hash: &str) -> LegacyHash {
    LegacyHash::parse(hash).unwrap_or_else(|refused| panic!("{hash}: {refused}"))
}

#[test]
fn hashes_of_other_implementations_match_only_their_password() {
    for case in hash_vectors() {
        let old = parse(&case.hash);
        assert_eq!(old.scheme().as_str(), case.scheme, "{case:?}");
        assert!(old.verify(&case.password), "{case:?}");
        assert!(!old.verify(&format!("x{}", case.password)), "{case:?}");
    }
}

#[test]
fn every_scheme_has_three_cases_of_other_implementations() {
    let mut counts = BTreeMap::new();
    for case in hash_vectors() {
        *counts.entry(case.scheme).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 22, "{counts:?}");
    assert!(counts.values().all(|count| *count >= 3), "{counts:?}");
}

#[test]
fn a_decomposed_password_matches_its_composed_form_and_as_typed() {
    let (composed, decomposed) = ("\u{fc}ber9", "u\u{308}ber9");
    for (hashed, typed, matches) in [
        (composed, decomposed, true),
        (decomposed, decomposed, true),
        (decomposed, composed, false),
    ] {
        let hash = format!(":A:{:032x}", md5_of(hashed));
        assert_eq!(parse(&hash).verify(typed), matches, "{hashed:?} {typed:?}");
    }
}

fn md5_of(text: &str) -> u128 {
    use md5::Digest;
    u128::from_be_bytes(md5::Md5::digest(text).into())
}

#[test]
fn a_nul_does_not_truncate_the_password() {
    for case in one_vector_per_prefix([WORLD, LONG]) {
        let longer = format!("{}\0more", case.password);
        assert!(!parse(&case.hash).verify(&longer), "{case:?}");
    }
}

#[test]
fn systems_that_trim_a_password_accept_it_with_spaces_and_the_others_do_not() {
    for case in one_vector_per_prefix([WORLD, SPACED]) {
        let padded = parse(&case.hash).verify(&format!(" {}\t", case.password));
        let has_trimmed = match case.scheme.as_str() {
            "wordpress-bcrypt" => true,
            // WordPress and phpBB write these formats, and trim passwords. If a password begins or ends with spaces,
            // another system has hashed it.
            "phpass" | "bcrypt" | "argon2i" | "argon2id" => case.password == case.password.trim(),
            _ => false,
        };
        let has_trimmed = has_trimmed && !case.hash.starts_with("bcrypt$");
        assert_eq!(padded, has_trimmed, "{case:?}");
    }
}

#[test]
fn a_password_is_tried_as_typed_and_as_its_system_changed_it() {
    for (typed, hash) in [
        ("Salt&Pepper9", "$H$5abcdefghIvPiie0MFTsNdh71c3Uy51"),
        ("O'Brian-2024", "$P$5abcdefgh.A3/Jd4craTxkSrTkXEi1/"),
        (
            "O'Brian-2024",
            "$wp$2y$04$abcdefghijklmnopqrstuuBZXgTy5wVwMJ/K6LzTj/Q1FtGtwaSEu",
        ),
    ] {
        let old = parse(hash);
        assert!(old.verify(typed), "{hash}");
        assert!(!old.verify(&typed.replace(['&', '\''], "")), "{hash}");
    }
}

#[test]
fn debug_output_names_the_scheme_and_keeps_the_hash() {
    let old = parse(":A:5f4dcc3b5aa765d61d8327deb882cf99");
    assert_eq!(format!("{old:?}"), r#"LegacyHash("mediawiki-a")"#);
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_a_panic(text in "\\PC{0,200}") {
        let _ = LegacyHash::parse(&text);
    }

    #[test]
    fn any_text_after_a_known_name_is_parsed_without_a_panic(
        name in prop::sample::select(vec![
            "$argon2id$", "$argon2d$v=19$", "$scrypt$", "$pbkdf2$", "$pbkdf2-sha256$", "$2b$",
            "$2y$10$", "$P$", "$H$", "$1$", "$5$", "$6$rounds=", ":A:", ":B:", ":pbkdf2:",
            "pbkdf2_sha256$", "argon2$argon2id$", "bcrypt_sha256$$2b$", "$wp$2y$", "$S$", "{SSHA}",
            "$scrypt$ln=16384,", "pbkdf2:sha256:", "bcrypt$$2a$",
        ]),
        text in "[a-zA-Z0-9./+=,:$é]{0,120}",
    ) {
        let _ = LegacyHash::parse(&format!("{name}{text}"));
    }

    #[test]
    fn a_damaged_hash_is_parsed_without_a_panic(
        case in prop::sample::select(hash_vectors()),
        at in any::<prop::sample::Index>(),
        with in any::<char>(),
    ) {
        let mut damaged: Vec<char> = case.hash.chars().collect();
        let at = at.index(damaged.len());
        damaged[at] = with;
        let _ = LegacyHash::parse(&damaged.into_iter().collect::<String>());
    }
}
