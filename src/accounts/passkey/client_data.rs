//! Checks clientDataJSON, the browser's statements about the ceremony (WebAuthn Level 3 section 5.8.1).

use serde_json::Value;

use crate::accounts::passkey::{Base64UrlBytes, Challenge, Rejection};
use crate::config::RelyingParty;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Rejects client data of another ceremony, of another challenge, of an origin that the relying party does not list
/// exactly, and of a cross-origin frame.
pub(super) fn check(
    json: &[u8],
    ceremony: &str,
    challenge: &Challenge,
    party: &RelyingParty,
) -> Result<(), Rejection> {
    // WebAuthn prescribes "UTF-8 decode", which drops a byte order mark and replaces invalid bytes.
    let text = String::from_utf8_lossy(json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json));
    let data: Value = serde_json::from_str(&text).map_err(|_| Rejection::Malformed)?;
    if data["type"] != ceremony {
        return Err(Rejection::Mismatch("another ceremony"));
    }
    let answered: Option<Base64UrlBytes> = serde_json::from_value(data["challenge"].clone()).ok();
    if answered.as_ref() != Some(&challenge.0) {
        return Err(Rejection::Mismatch("another challenge"));
    }
    let origin = data["origin"].as_str().ok_or(Rejection::Malformed)?;
    if !party.origins.iter().any(|ours| ours == origin) {
        return Err(Rejection::Mismatch("a foreign origin"));
    }
    let is_framed = data.get("crossOrigin").is_some_and(|value| value != false);
    if is_framed || data.get("topOrigin").is_some() {
        return Err(Rejection::Mismatch("within a frame of another site"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_exact_origins_outside_of_frames_are_accepted() {
        let party = RelyingParty {
            id: "example.org".to_owned(),
            origins: vec!["https://example.org".to_owned()],
        };
        let challenge = Challenge(Base64UrlBytes(vec![1, 2, 3]));
        for (members, accepted) in [
            (r#""origin":"https://example.org""#, true),
            (
                r#""origin":"https://example.org","crossOrigin":false"#,
                true,
            ),
            (
                r#""origin":"https://example.org","crossOrigin":true"#,
                false,
            ),
            (r#""origin":"https://example.org","crossOrigin":"x""#, false),
            (
                r#""origin":"https://example.org","topOrigin":"https://example.org""#,
                false,
            ),
            (r#""origin":"https://example.org/""#, false),
            (r#""origin":"https://example.org:443""#, false),
            (r#""origin":"http://example.org""#, false),
            (r#""origin":"https://www.example.org""#, false),
            (r#""x":0"#, false),
        ] {
            let json = format!(r#"{{"type":"webauthn.get","challenge":"AQID",{members}}}"#);
            let checked = check(json.as_bytes(), "webauthn.get", &challenge, &party);
            assert_eq!(checked.is_ok(), accepted, "{json}");
            assert!(check(json.as_bytes(), "webauthn.create", &challenge, &party).is_err());
        }
        let json =
            br#"{"type":"webauthn.get","challenge":"AQID","origin":"https://example.org","x":""#;
        for (before, after, accepted) in [
            (&b"\xef\xbb\xbf"[..], &b"\"}"[..], true),
            (b"\xef\xbb\xbf\xef\xbb\xbf", b"\"}", false),
            (b"", b"\xff\"}", true),
            (b"", b"\xff}", false),
        ] {
            let json = [before, json, after].concat();
            let checked = check(&json, "webauthn.get", &challenge, &party);
            assert_eq!(checked.is_ok(), accepted, "{}", json.escape_ascii());
        }
        for malformed in [
            "",
            "[]",
            "{}",
            "{\"type\":\"webauthn.get\",\"challenge\":7}",
        ] {
            let checked = check(malformed.as_bytes(), "webauthn.get", &challenge, &party);
            assert!(checked.is_err(), "{malformed}");
        }
    }
}
