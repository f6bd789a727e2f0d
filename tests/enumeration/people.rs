//! The accounts whose addresses these tests send. All addresses have the same length, because responses repeat them.

use crate::support::prelude::*;

pub struct People {
    pub v: Person,
    pub v2: Person,
    pub u: Person,
    /// Has no legacy hash, so a difference could come only from the address.
    pub l: String,
    /// Has a legacy hash, that of `OLD_PASSWORD`.
    pub l_hash: String,
}

/// Argon2id of `OLD_PASSWORD` with the cost of the other hashes of these tests, so that the time is equal.
const OLD_HASH: &str = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$";
pub const OLD_PASSWORD: &str = "Quiet-River-7";

impl People {
    pub async fn create(site: &Site) -> People {
        let people = People {
            v: site.signed_in("member0").await,
            v2: site.member("member2").await,
            u: site.registered("unprov0").await.0,
            l: "waiting@example.org".to_owned(),
            l_hash: "oldhash@example.org".to_owned(),
        };
        site.import_accounts(&[
            json!({"email": people.l}),
            json!({"email": people.l_hash, "password_hash": old_hash()}),
        ])
        .await;
        people
    }
}

fn old_hash() -> String {
    use argon2::{Algorithm, Argon2, Params, Version};
    use base64::Engine as _;
    let params = Params::new(64, 1, 1, None).unwrap();
    let engine = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut out = [0; 32];
    engine
        .hash_password_into(OLD_PASSWORD.as_bytes(), b"somesaltsomesalt", &mut out)
        .unwrap();
    let out = base64::engine::general_purpose::STANDARD_NO_PAD.encode(out);
    format!("{OLD_HASH}{out}")
}
