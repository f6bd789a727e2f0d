use crate::crypto::hashing::legacy::HashRefused;
use crate::crypto::hashing::legacy::HashRefused::{Malformed, TooCostly, UnknownFormat};
use crate::crypto::hashing::legacy::LegacyHash;

const SALT: &str = "c29tZXNhbHQ";
const DIGEST_32: &str = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

#[track_caller]
fn assert_parsed(text: &str, refused: Option<HashRefused>) {
    assert_eq!(LegacyHash::parse(text).err(), refused, "{text}");
}

#[test]
fn hashes_over_the_bound_are_too_expensive() {
    for params in [
        "m=4194304,t=1,p=1",
        "m=131073,t=1,p=1",
        "m=131072,t=9,p=1",
        "m=65536,t=1000000000,p=4",
        "m=99999999999999999999999,t=1,p=1",
        "m=18446744073709551615,t=18446744073709551615,p=1",
    ] {
        let text = format!("$argon2id$v=19${params}${SALT}${DIGEST_32}");
        assert_parsed(&text, Some(TooCostly));
    }
    for params in [
        "ln=18,r=8,p=1", "ln=17,r=8,p=3", "ln=17,r=9,p=1", "ln=63,r=1,p=1", "ln=262144,r=8,p=1",
        "ln=9223372036854775808,r=8,p=1", "ln=1,r=4294967295,p=4294967295", "ln=1,r=1,p=8193",
    ] {
        let text = format!("$scrypt${params}${SALT}${DIGEST_32}");
        assert_parsed(&text, Some(TooCostly));
    }
    for text in [
        format!("$pbkdf2-sha256$i=1000000000${SALT}${DIGEST_32}"),
        format!("$pbkdf2-sha512$4294967296${SALT}${DIGEST_32}"),
        format!("$pbkdf2$999999999999999999999999${SALT}${DIGEST_32}"),
        format!(":pbkdf2:sha512:999999999:32:{SALT}:{DIGEST_32}"),
        format!("pbkdf2_sha256$100000000$salt${DIGEST_32}"),
        "$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        "$2y$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        "$S$R2a9e0966u406/UJPsC5H7UmfxvXmoAFEg6.IbKdfHq1qjq/5bLv".to_owned(),
        "$wp$2y$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        "bcrypt_sha256$$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        format!("argon2$argon2id$v=19$m=131073,t=1,p=1${SALT}${DIGEST_32}"),
        "$P$SohUJ.1sdFw09/bMaAQPTGDNi2BIUt1".to_owned(),
        "$H$KohUJ.1sdFw09/bMaAQPTGDNi2BIUt1".to_owned(),
        "$5$rounds=999999999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5".to_owned(),
        "$6$rounds=999999999$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1".to_owned(),
    ] {
        assert_parsed(&text, Some(TooCostly));
    }
}

#[test]
fn the_most_expensive_common_defaults_are_accepted() {
    for text in [
        format!("$argon2id$v=19$m=65536,t=4,p=1${SALT}${DIGEST_32}"),
        format!("$argon2id$v=19$m=102400,t=2,p=8${SALT}${DIGEST_32}"),
        format!("$scrypt$ln=17,r=8,p=1${SALT}${DIGEST_32}"),
        format!("$pbkdf2-sha512$i=210000${SALT}${DIGEST_32}"),
        format!("pbkdf2_sha256$1500000$salt${DIGEST_32}"),
        "$2b$14$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        "$5$rounds=535000$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5".to_owned(),
        "$6$rounds=656000$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1".to_owned(),
    ] {
        assert_parsed(&text, None);
    }
}

#[test]
fn a_password_too_long_for_the_rounds_is_wrong_without_hashing_it() {
    // Hashing this password would take hours, so the test ends only if the password is refused without hashing.
    let password = "long".repeat(1_000_000);
    for text in [
        "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0",
        "$1$3azHgidD$SrJPt7B.9rekpmwJwtON31",
        "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
        "$5$rounds=535000$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
    ] {
        let old = LegacyHash::parse(text).unwrap();
        assert!(!old.verify(&password), "{text}");
    }
}

#[test]
fn hashes_of_other_formats_are_unknown() {
    for text in [
        "",
        "$",
        "$$",
        ":",
        "hunter2",
        "5f4dcc3b5aa765d61d8327deb882cf99",
        "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=",
        "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b",
        "$wp$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "U$P$D2a9e0966u406/UJPsC5H7UmfxvXmoA",
        "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D",
        "$y$j9T$salt$hash",
        "$ARGON2ID$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=18$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=65536,t=2,p=1,keyid=Hj5$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        ":C:838c83e1:e4ab7024509eef084cdabd03d8b2972c",
        ":pbkdf2:whirlpool:30000:32:c29tZXNhbHQ=:CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=",
        "pbkdf2_sha1$10000$salt$CTFhFdXPJO1aFaMaO6Mm5c8y7cI=",
        "md5$salt$5f4dcc3b5aa765d61d8327deb882cf99",
        " $1$3azHgidD$SrJPt7B.9rekpmwJwtON31",
    ] {
        assert_parsed(text, Some(UnknownFormat));
    }
    assert_parsed(&"x".repeat(1_000_000), Some(UnknownFormat));
}

#[test]
fn damaged_hashes_are_malformed() {
    for text in [
        "{SSHA}gVK8WC9YyFT1gMsQHTGCgT3sSv4=",
        "{SSHA}not base64!",
        "$S$D8ohUJ.1sdFw09/bMaAQPTGDNi2BIUt1",
        "$wp$2y$10$short",
        "bcrypt_sha256$$2x$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "bcrypt_sha256$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$YWJj",
        "$argon2id$v=19$m=65536,t=2,p=1$YWJj$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=65536,t=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=65536,m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=65536,t=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=65536,t=2,p=16384$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=+65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$scrypt$ln=0,r=8,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$scrypt$ln=255,r=8,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$scrypt$ln=16383,r=8,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$scrypt$ln=14,r=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$scrypt$ln=14,r=8,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$pbkdf2-sha256$0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$pbkdf2-sha256$i=1000,l=20$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$pbkdf2-sha256$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$pbkdf2-sha256$1000$ä$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        ":pbkdf2:sha512:30000:64:c29tZXNhbHQ=:CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=",
        ":pbkdf2:sha512:30000:c29tZXNhbHQ=",
        "pbkdf2_sha256$1000$salt",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2b$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$32$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO+W",
        "$P$48ohUJ.1sdFw09/bMaAQPTGDNi2BIUt1",
        "$P$8ohUJ.1sdFw09/bMaAQPTGDNi2BIUt",
        "$P$8éhUJ.1sdFw09/bMaAQPTGDNi2BIUt1",
        "$1$toolongsalt$SrJPt7B.9rekpmwJwtON31",
        "$1$3azHgidD",
        "$5$rounds=999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
        "$5$saltstringsaltstri$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
        "$6$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
        ":A:5f4dcc3b5aa765d61d8327deb882cf9",
        ":A:+f4dcc3b5aa765d61d8327deb882cf99",
        ":B:5f4dcc3b5aa765d61d8327deb882cf99",
        "$1$3azHgidD$SrJPt7B.9rekpmwJwtON31\n",
    ] {
        assert_parsed(text, Some(Malformed));
    }
    assert_parsed(&format!(":B:{}:", "x".repeat(2000)), Some(Malformed));
}
