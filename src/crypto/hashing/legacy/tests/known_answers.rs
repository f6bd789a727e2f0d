//! Test vectors from the documentation and the tests of each hash format.

use super::parse;

#[test]
fn documented_hashes_match_their_passwords() {
    for (password, hash) in KNOWN_ANSWERS {
        assert!(parse(hash).verify(password), "{hash}");
        assert!(!parse(hash).verify(&format!("x{password}")), "{hash}");
    }
}

/// Each entry is a password and its hash.
#[rustfmt::skip]
const KNOWN_ANSWERS: &[(&str, &str)] = &[
    // The Argon2 reference implementation (test.c) has vectors for version 19, and for version 16, which is not named.
    ("password", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"),
    ("password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
    ("password", "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ"),
    // RFC 7914, section 12.
    ("password", "$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA"),
    ("pleaseletmein", "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw"),
    // RFC 6070 (SHA-1) and RFC 7914, section 11 (SHA-256).
    ("password", "$pbkdf2$4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE"),
    ("password", ":pbkdf2:sha1:2:20:c2FsdA==:6mwBTcctb4zNHtkqzh1B8NjeiVc="),
    ("passwd", "$pbkdf2-sha256$i=1$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw"),
    // passlib: the pages on its schemes, and its tests for SHA-512.
    ("password", "$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww"),
    ("password", "$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M"),
    ("password", "$P$8ohUJ.1sdFw09/bMaAQPTGDNi2BIUt1"),
    ("password", "$1$3azHgidD$SrJPt7B.9rekpmwJwtON31"),
    // OpenLDAP FAQ-O-Matic, "What are {SHA} and {SSHA} passwords and how do I generate them?".
    ("secret", "{SSHA}gVK8WC9YyFT1gMsQHTGCgT3sSv5zYWx0"),
    // Openwall: the tests of crypt_blowfish and of phpass.
    ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
    ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
    ("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored", "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"),
    ("test12345", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"),
    // Drepper, "Unix crypt using SHA-256 and SHA-512".
    ("Hello world!", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
    ("Hello world!", "$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"),
    ("This is just a test", "$5$rounds=5000$toolongsaltstrin$Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5"),
    ("Hello world!", "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"),
    ("Hello world!", "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v."),
    // RFC 1321, appendix A.5, in MediaWiki's format `:A:`.
    ("message digest", ":A:f96b697d7cb7938d525a2f31aaf161d0"),
    // The tests of Django's hasher in the versions 1.4 and 1.5 contain these hashes.
    ("letmein", "pbkdf2_sha256$10000$seasalt$FQCNpiZpTb0zub+HBsH6TOwyRxJ19FwvjbweatNmK/Y="),
    ("lètmein", "pbkdf2_sha256$10000$seasalt$CWWFdHOWwPnki7HvkcqN9iA2T3KLW1cf2uZ5kvArtVY="),
];
