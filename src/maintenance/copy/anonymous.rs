//! The anonymised copy of `account store copy --anonymise`, which contains accounts without personal data for staging.
//!
//! Values are replaced before they are written, so no personal data reach the target. Each id is replaced by the same
//! pseudonym in all tables, under a secret key that is discarded at the end. Times are rounded to days. Each column of
//! a copied table is listed in this file, and an unlisted column ends the copying with an error.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use uuid::Uuid;

use crate::clock::DAY;
use crate::maintenance::copy::CopyError;
use crate::maintenance::copy::table::{Cell, Table};
use crate::rng::Rng;
use crate::store::names::NameKind;

/// The tables that are copied. The other tables contain secrets or records of visits, or the site fills them again.
const COPIED_TABLES: [&str; 4] = ["accounts", "consents", "legacy_accounts", "names"];

/// The kinds of names that are copied. The other kinds are reservations and hashes.
const COPIED_NAMES: [NameKind; 2] = [NameKind::Email, NameKind::Username];

/// A well-formed Argon2id hash that no password matches.
const UNMATCHABLE_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The replacement for the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnTreatment {
    Keep,
    /// The start of the day in UTC replaces the time.
    Day,
    PseudonymousId,
    Address,
    Username,
    /// The lookup key of an email address or username.
    Name,
    PasswordHash,
    /// The first of January of the same year replaces the birthday.
    Birthday,
    ZipCode,
    One,
    Null,
    Empty,
}

fn treatment_of(table: &str, column: &str) -> Option<ColumnTreatment> {
    use ColumnTreatment::{
        Address, Birthday, Day, Empty, Keep, Name, Null, One, PasswordHash, PseudonymousId,
        Username, ZipCode,
    };
    let is_old = table == "legacy_accounts";
    Some(match column {
        "id" | "account_id" => PseudonymousId,
        "email" | "email_key" => Address,
        "username" | "username_key" => Username,
        "key" => Name,
        "device_hash" | "until" => Null,
        "kind" => Keep,
        "password_hash" if is_old => Null,
        "password_hash" => PasswordHash,
        "birthday" => Birthday,
        "birthday_day" | "birthday_month" => One,
        "zipcode" => ZipCode,
        "first_name" | "last_name" | "legacy_id" | "bounce_status" => Null,
        "row_hash" => Empty,
        "email_change_number" | "credential_change_number" | "deletion_change_number" => Day,
        "birthday_year" | "country" | "language" | "region" | "marketing_consent" | "consent"
        | "text_version" => Keep,
        "at" => Day,
        time if time.ends_with("_at") => Day,
        _ => return None,
    })
}

/// Returns whether a value of a row of `names` is a kind of name that is copied.
fn is_copied_name(value: &Cell) -> bool {
    let Cell::Text(Some(kind)) = value else {
        return false;
    };
    NameKind::from_name(kind).is_some_and(|kind| COPIED_NAMES.contains(&kind))
}

/// The secret key that derives the pseudonyms of one copy.
pub(super) struct Anonymiser {
    key: [u8; 32],
}

impl Anonymiser {
    pub(super) fn new(rng: &Rng) -> Anonymiser {
        Anonymiser {
            key: rng.bytes::<32>(),
        }
    }

    pub(super) fn is_copied(table: &str) -> bool {
        COPIED_TABLES.contains(&table)
    }

    /// Returns the rows with the replacements of all values, without the names that are not copied.
    pub(super) fn replace_rows(
        &self,
        table: &Table,
        rows: &[Vec<Cell>],
    ) -> Result<Vec<Vec<Cell>>, CopyError> {
        let columns: Result<Vec<_>, _> = table
            .column_names()
            .map(|column| {
                treatment_of(table.name, column).ok_or_else(|| CopyError::Unclassified {
                    table: table.name,
                    column: column.to_owned(),
                })
            })
            .collect();
        let columns = columns?;
        let row = |row: &Vec<Cell>| {
            let is_copied = table.name != "names" || row.iter().any(is_copied_name);
            // The first id in a row is the id of the row itself; a row of `names` begins with the id of its account.
            let own = row.iter().find_map(|value| match value {
                Cell::Id(id) => *id,
                _ => None,
            });
            let own = own.filter(|_| is_copied)?;
            let own = self.pseudonymous_id(own);
            let pairs = row.iter().zip(&columns);
            let replaced = pairs.map(|(value, treatment)| self.replace(value, *treatment, own));
            Some(replaced.collect())
        };
        Ok(rows.iter().filter_map(row).collect())
    }

    fn replace(&self, value: &Cell, treatment: ColumnTreatment, own: Uuid) -> Cell {
        use ColumnTreatment::{
            Address, Birthday, Day, Empty, Keep, Name, Null, One, PasswordHash, PseudonymousId,
            Username, ZipCode,
        };
        let text = |old: &Option<String>, new: String| Cell::Text(old.as_ref().map(|_| new));
        let short = &own.simple().to_string()[..20];
        match (value, treatment) {
            (value, Keep) => value.clone(),
            (Cell::Id(id), PseudonymousId) => Cell::Id(id.map(|id| self.pseudonymous_id(id))),
            (Cell::Int(time), Day) => Cell::Int(time.map(|time| time - time.rem_euclid(DAY))),
            (Cell::Int(number), One) => Cell::Int(number.map(|_| 1)),
            (Cell::Text(old), Address) => text(old, format!("{short}@example.invalid")),
            (Cell::Text(Some(old)), Name) if old.contains('@') => {
                Cell::Text(Some(format!("{short}@example.invalid")))
            }
            (Cell::Text(old), Username | Name) => text(old, format!("u{short}")),
            (Cell::Text(old), PasswordHash) => text(old, UNMATCHABLE_HASH.to_owned()),
            (Cell::Text(old), ZipCode) => text(old, "00000".to_owned()),
            (Cell::Text(Some(date)), Birthday) => {
                let year = date.get(..4).unwrap_or("1970");
                Cell::Text(Some(format!("{year}-01-01")))
            }
            (Cell::Bytes(old), Empty) => Cell::Bytes(old.as_ref().map(|_| Vec::new())),
            (Cell::Text(_), Null) => Cell::Text(None),
            // A value of an unexpected type is replaced by NULL.
            (Cell::Text(_), _) => Cell::Text(None),
            (Cell::Int(_), _) => Cell::Int(None),
            (Cell::Bytes(_), _) => Cell::Bytes(None),
            (Cell::Id(_), _) => Cell::Id(None),
        }
    }

    /// Returns the pseudonym of an id, which is always the same within one copy.
    fn pseudonymous_id(&self, id: Uuid) -> Uuid {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        mac.update(id.as_bytes());
        let half: [u8; 16] = mac.finalize().into_bytes()[..16]
            .try_into()
            .expect("half of 32 bytes");
        uuid::Builder::from_random_bytes(half).into_uuid()
    }
}
