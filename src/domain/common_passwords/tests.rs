use proptest::prelude::*;

use super::*;

#[test]
fn the_commonest_passwords_that_the_policy_allows_are_common() {
    for password in [
        "Password1", "PASSWORD1", "pAssword1", "Passw0rd", "P@ssw0rd", "P@ssword1", "Pa$$w0rd",
        "Password123", "Password123!", "Password1234", "Qwerty123", "Qwerty1", "Qwertz123",
        "1q2w3e4R", "1qaz2WSX", "Zaq12wsx", "Q1w2e3r4", "Abc123", "Abcd1234", "Abc12345",
        "Aa123456", "A123456", "Letmein1", "Letmein1!", "Welcome1", "Welcome2024", "W3lcome1",
        "Iloveyou1", "Monkey12", "Dragon123456", "Football99999", "Baseball1", "Princess1",
        "Sunshine7", "Michael1", "Charlie1", "Trustno1", "Admin123", "Adm1n2020", "Changeme1",
        "Summer2024!", "Winter25", "Test1234", "Asdf1234", "Diamond1!!", "Butterfly0987654321",
        "Passwort1", "Hallo123", "Schatz1!", "Sommer2025", "Contraseña1", "Hola1234", "Verano2023",
        "Senha123", "Mudar123", "Brasil10",
    ] {
        assert!(is_common(password), "{password}");
    }
}

#[test]
fn uncommon_passwords_are_not_listed() {
    for password in [
        "", "Ab1", "correct Horse 7 battery", "Zx9!vKq2mWp", "Tr33house-Lantern",
        "Überraschung4Kaffee", "Dragon48213907", "Monkey!Banjo4", "4tune5Favours", "日本語Pa5",
        "mkvRT81pq", "Quiet0tter&River",
    ] {
        assert!(!is_common(password), "{password}");
    }
}

#[test]
fn the_list_is_sorted_and_of_the_expected_size() {
    let (records, rest) = SORTED_DIGESTS.as_chunks::<DIGEST_PREFIX_BYTES>();
    assert!(rest.is_empty());
    assert!(records.is_sorted_by(|a, b| a < b));
    assert!(
        (15_000..30_000).contains(&records.len()),
        "{}",
        records.len()
    );
    assert!(SORTED_DIGESTS.len() <= 150_000);
}

#[test]
fn values_of_the_form_are_found_in_the_password() {
    for (password, word) in [
        ("MarlowFan99", "marlow"),
        ("xxM4rl0wxx1", "Marlow"),
        ("1Marlow", "marlow1987"),
        ("Jo.Miller1", "jo.miller"),
        ("Jomiller7", "jo.miller"),
        ("Miller2020A", "jo.miller+news"),
        ("ILoveExample1", "example.com"),
        ("Hi11top9", "hilltop"),
        ("Jürgen2000", "JÜRGEN"),
    ] {
        assert!(
            contains_any_word(password, &["unrelated", word]),
            "{password} {word}"
        );
    }
}

#[test]
fn short_or_absent_words_are_not_found() {
    for (password, word) in [
        ("Joanna2000", "jo"),
        ("Abc.def7", "abc"),
        ("Marlow99", ""),
        ("Marlow99", "..."),
        ("Marlow99", "12"),
        ("Telescope7", "marlow"),
    ] {
        assert!(!contains_any_word(password, &[word]), "{password} {word}");
    }
    assert!(!contains_any_word("Marlow99", &[]));
}

#[test]
fn guessable_is_common_or_taken_from_the_form() {
    assert!(is_guessable("Password1", &[]));
    assert!(is_guessable("Marlow-Kettle-88", &["marlow"]));
    assert!(!is_guessable("Kettle-Bridge-88x", &["marlow"]));
}

proptest! {
    #[test]
    fn no_password_or_word_causes_a_panic(password in "\\PC{0,64}", word in "\\PC{0,32}") {
        let _ = is_guessable(&password, &[&word]);
    }

    #[test]
    fn the_word_itself_is_always_found(
        word in "[a-zA-Z0-9]{4,16}", before in "[a-z]{0,4}", after in "[A-Z0-9!]{0,4}",
    ) {
        let password = format!("{before}{word}{after}");
        prop_assert!(contains_any_word(&password, &[&word]));
    }
}
