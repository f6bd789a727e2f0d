use ::argon2::Algorithm::{Argon2d, Argon2i, Argon2id};

use super::bcrypt::{self, Prehash};
use super::cost::HashFunction::{Md5, Sha1, Sha256, Sha512};
use super::typed::Transform::{self, Nfc, WordPress};
use super::{
    HashRefused, HashResult, argon2, md5_crypt, mediawiki, pbkdf2, phpass, scrypt, sha_crypt, ssha,
};
use crate::named_enum::named_enum;

named_enum! {
    /// The supported hash formats, with one variant for each format that an operator may want to count separately.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Scheme(
        /// Parses the rest of a hash that [`Scheme::parse_prefix`] returned.
        parser: fn(&str) -> HashResult,
        /// The change of a typed password, unless [`Transform::of`] knows another one by the prefix of the hash.
        transform: Transform
    ) {
        Argon2d = "argon2d", |rest| argon2::parse(Argon2d, rest), Nfc;
        Argon2i = "argon2i", |rest| argon2::parse(Argon2i, rest), Nfc;
        Argon2id = "argon2id", |rest| argon2::parse(Argon2id, rest), Nfc;
        Scrypt = "scrypt", scrypt::parse, Nfc;
        Pbkdf2Sha1 = "pbkdf2-sha1", |rest| pbkdf2::parse(Sha1, rest), Nfc;
        Pbkdf2Sha256 = "pbkdf2-sha256", |rest| pbkdf2::parse(Sha256, rest), Nfc;
        Pbkdf2Sha512 = "pbkdf2-sha512", |rest| pbkdf2::parse(Sha512, rest), Nfc;
        Bcrypt = "bcrypt", |rest| bcrypt::parse(Prehash::None, rest), Nfc;
        Phpass = "phpass", |rest| phpass::parse(Md5, rest), WordPress;
        Md5Crypt = "md5-crypt", md5_crypt::parse, Nfc;
        Sha256Crypt = "sha256-crypt", |rest| sha_crypt::parse(Sha256, rest), Nfc;
        Sha512Crypt = "sha512-crypt", |rest| sha_crypt::parse(Sha512, rest), Nfc;
        MediaWikiA = "mediawiki-a", mediawiki::parse_unsalted, Nfc;
        MediaWikiB = "mediawiki-b", mediawiki::parse_salted, Nfc;
        MediaWikiPbkdf2 = "mediawiki-pbkdf2", pbkdf2::parse_mediawiki, Nfc;
        DjangoPbkdf2Sha256 = "django-pbkdf2-sha256", pbkdf2::parse_django, Nfc;
        DjangoArgon2 = "django-argon2", argon2::parse_django, Nfc;
        DjangoBcryptSha256 = "django-bcrypt-sha256", |rest| bcrypt::parse(Prehash::Django, rest), Nfc;
        WordPressBcrypt = "wordpress-bcrypt", |rest| bcrypt::parse(Prehash::WordPress, rest), WordPress;
        DrupalSha512 = "drupal-sha512", |rest| phpass::parse(Sha512, rest), Nfc;
        /// A hash that Drupal 7 computed from the MD5 digest of Drupal 6 (includes/password.inc).
        DrupalMd5Sha512 = "drupal-md5-sha512", phpass::parse_drupal_md5, Nfc;
        LdapSsha = "ldap-ssha", ssha::parse, Nfc;
    }
}

impl Scheme {
    /// Returns the scheme that the beginning of a hash names, and the rest of the hash.
    pub(super) fn parse_prefix(text: &str) -> HashResult<(Scheme, &str)> {
        if let Some(rest) = text.strip_prefix("$wp$2y$") {
            return Ok((Scheme::WordPressBcrypt, rest));
        }
        if let Some(rest) = text.strip_prefix("U$S$") {
            return Ok((Scheme::DrupalMd5Sha512, rest));
        }
        let (name, rest) = if let Some(inner) = text.strip_prefix('$') {
            inner.split_once('$')
        } else if let Some(inner) = text.strip_prefix(':') {
            return parse_mediawiki(inner);
        } else {
            return parse_without_dollar(text);
        }
        .ok_or(HashRefused::UnknownFormat)?;
        let scheme = match name {
            "scrypt" => Scheme::Scrypt,
            // The names `pbkdf2` and `pbkdf2-sha1` both mean SHA-1; passlib writes `pbkdf2`.
            "pbkdf2" | "pbkdf2-sha1" => Scheme::Pbkdf2Sha1,
            "pbkdf2-sha256" => Scheme::Pbkdf2Sha256,
            "pbkdf2-sha512" => Scheme::Pbkdf2Sha512,
            name if is_bcrypt(name) => Scheme::Bcrypt,
            "P" | "H" => Scheme::Phpass,
            "S" => Scheme::DrupalSha512,
            "1" => Scheme::Md5Crypt,
            "5" => Scheme::Sha256Crypt,
            "6" => Scheme::Sha512Crypt,
            "argon2d" => Scheme::Argon2d,
            "argon2i" => Scheme::Argon2i,
            "argon2id" => Scheme::Argon2id,
            _ => return Err(HashRefused::UnknownFormat),
        };
        Ok((scheme, rest))
    }
}

/// Parses a hash that does not begin with `$`. Django writes a name before the hash, and LDAP directories write a name
/// in braces, in upper or lower case (RFC 2307 section 5.3).
fn parse_without_dollar(text: &str) -> HashResult<(Scheme, &str)> {
    if let Some((name, rest)) = text.split_at_checked(6)
        && name.eq_ignore_ascii_case("{SSHA}")
    {
        return Ok((Scheme::LdapSsha, rest));
    }
    match text.split_once('$') {
        Some(("pbkdf2_sha256", rest)) => Ok((Scheme::DjangoPbkdf2Sha256, rest)),
        // In Django's format a PHC string follows the name `argon2` and names the algorithm again.
        Some(("argon2", rest)) => Ok((Scheme::DjangoArgon2, rest)),
        Some(("bcrypt_sha256", rest)) => Ok((Scheme::DjangoBcryptSha256, strip_bcrypt(rest)?)),
        Some(("bcrypt", rest)) => Ok((Scheme::Bcrypt, strip_bcrypt(rest)?)),
        _ => Err(HashRefused::UnknownFormat),
    }
}

/// Returns whether the name is `2a`, `2b` or `2y`. The three names of bcrypt distinguish old bugs of one library, but
/// give the same result for UTF-8 passwords. The name `2x` marks wrong hashes and is not supported.
fn is_bcrypt(name: &str) -> bool {
    matches!(name, "2a" | "2b" | "2y")
}

fn strip_bcrypt(text: &str) -> HashResult<&str> {
    match text.strip_prefix('$').and_then(|text| text.split_once('$')) {
        Some((name, rest)) if is_bcrypt(name) => Ok(rest),
        _ => Err(HashRefused::Malformed),
    }
}

fn parse_mediawiki(inner: &str) -> HashResult<(Scheme, &str)> {
    match inner.split_once(':') {
        Some(("A", rest)) => Ok((Scheme::MediaWikiA, rest)),
        Some(("B", rest)) => Ok((Scheme::MediaWikiB, rest)),
        Some(("pbkdf2", rest)) => Ok((Scheme::MediaWikiPbkdf2, rest)),
        _ => Err(HashRefused::UnknownFormat),
    }
}
