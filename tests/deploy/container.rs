//! Checks of the text of `deploy/Dockerfile`, because the test machines have no Docker daemon: the variables are settings,
//! and the toolchain is that of the program. `scripts/same-build.sh` types the steps of the build.

use super::file;
use crate::prelude::*;

/// The instructions, each in one line, without comments.
fn instructions() -> Vec<(String, String)> {
    let text = file("deploy/Dockerfile");
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let parts = joined
        .lines()
        .filter_map(|line| line.trim().split_once(' '));
    parts
        .map(|(word, rest)| (word.to_owned(), rest.trim().to_owned()))
        .collect()
}

fn arguments_of<'a>(
    instructions: &'a [(String, String)],
    word: &'a str,
) -> impl Iterator<Item = &'a str> {
    let found = instructions.iter().filter(move |(w, _)| w == word);
    found.map(|(_, rest)| rest.as_str())
}

#[test]
fn the_image_runs_what_was_built() {
    let instructions = instructions();
    let entry = arguments_of(&instructions, "ENTRYPOINT").last().unwrap();
    let copied = arguments_of(&instructions, "COPY").last().unwrap();
    let program = copied.split_whitespace().last().unwrap();
    assert_eq!(entry, format!("[\"{program}\"]"));
    assert_eq!(
        arguments_of(&instructions, "CMD").last(),
        Some("[\"serve\"]")
    );
}

#[test]
fn the_image_runs_unprivileged_with_our_toolchain() {
    let instructions = instructions();
    let user = arguments_of(&instructions, "USER").last().unwrap();
    let number: u32 = user.split(':').next().unwrap().parse().unwrap();
    assert!(
        number >= 1000,
        "runAsNonRoot requires a numeric user other than root: {user}"
    );
    let images: Vec<_> = arguments_of(&instructions, "FROM").collect();
    let manifest: toml::Table = file("Cargo.toml").parse().unwrap();
    let rust = manifest["package"]["rust-version"].as_str().unwrap();
    assert!(
        images
            .iter()
            .any(|image| image.starts_with(&format!("rust:{rust}")))
    );
    for image in images {
        let (_, tag) = image.split(' ').next().unwrap().split_once(':').unwrap();
        assert_ne!(tag, "latest", "{image}");
    }
}

#[test]
fn every_variable_of_the_image_is_a_setting() {
    let instructions = instructions();
    let set: Vec<_> = arguments_of(&instructions, "ENV")
        .flat_map(str::split_whitespace)
        .map(|pair| pair.split_once('=').unwrap())
        .filter(|(name, _)| name.starts_with("ACCOUNT_"))
        .collect();
    assert!(set.len() >= 2, "{set:?}");
    let folder = folder();
    let (_, errors) = run_to_success(&folder, "check-config", &set);
    // The database is in the volume; otherwise it would be deleted with the container.
    let volume = arguments_of(&instructions, "VOLUME").last().unwrap();
    let volume = volume.trim_matches(['[', ']', '"', ' ']);
    let place = arguments_of(&instructions, "WORKDIR").last().unwrap();
    let database = account::config::Config::default().database;
    let file = std::path::Path::new(place).join(database.url.sqlite_path().unwrap());
    assert!(file.starts_with(volume), "{}", file.display());
    // The image listens on all interfaces, so both missing settings are warned of.
    for key in ["server.trusted_proxies", "mail.smtp_url"] {
        let mut warned = errors
            .lines()
            .filter(|line| line.contains("from other machines"));
        assert!(warned.any(|line| line.contains(key)), "{errors}");
    }
}
