//! testdata/passkeys/vectors.json: responses with at most one mistake, and the verifiers that accept them. Our own
//! verifier runs in `src/accounts/passkey/tests.rs`, the reference implementation in `e2e/passkeys/vectors.test.mjs`.

use serde_cbor_2::Value as Cbor;

use super::verification::MISTAKES;
use crate::support::authenticator::{BACKUP_ELIGIBLE, encode};
use crate::support::prelude::*;

const FILE: &str = "testdata/passkeys/vectors.json";

/// Framed calls that only our own verifier refuses. The reference checks `topOrigin` only in assertions.
const REFUSED_ONLY_HERE: [&str; 3] = [
    "create: cross origin", "get: cross origin", "create: top origin",
];

fn options() -> Value {
    json!({"publicKey": {"challenge": encode(&[42; 32]), "user": {"id": encode(&[1; 32])}}})
}

/// Whether our own verifier and the reference implementation accept a response.
type Verdicts = [bool; 2];

const BOTH: Verdicts = [true, true];
const NEITHER: Verdicts = [false, false];
const ONLY_OURS: Verdicts = [true, false];
const ONLY_REFERENCE: Verdicts = [false, true];

fn vector(ceremony: &str, name: &str, body: &Value, [ours, reference]: Verdicts) -> Value {
    json!({"name": format!("{ceremony}: {name}"), "ceremony": ceremony,
        "credential": body["credential"], "ours": ours, "reference": reference})
}

fn cose_key(authenticator: &Authenticator) -> String {
    encode(&serde_cbor_2::to_vec(&authenticator.cose_key()).unwrap())
}

/// An assertion with the stored fields of its passkey.
fn assertion(name: &str, stored: &Value, body: &Value, accepted: Verdicts) -> Value {
    let mut vector = vector("get", name, body, accepted);
    vector["stored"] = stored.clone();
    vector
}

fn stored_fields(authenticator: &Authenticator) -> Value {
    json!({"key": cose_key(authenticator), "counter": authenticator.counter,
        "backup_eligible": authenticator.flags & BACKUP_ELIGIBLE != 0})
}

fn valid_responses() -> Vec<Value> {
    let mut vectors = Vec::new();
    for (name, mut authenticator) in [
        ("ES256", Authenticator::synced()),
        ("EdDSA", Authenticator::ed25519()),
        ("RS256", Authenticator::rs256()),
        ("a device-bound key", Authenticator::device_bound()),
    ] {
        let body = authenticator.creation_response(&options());
        vectors.push(vector("create", name, &body, BOTH));
        let stored = stored_fields(&authenticator);
        let body = authenticator.assertion_response(&options());
        vectors.push(assertion(name, &stored, &body, BOTH));
    }
    vectors
}

fn responses_with_one_mistake() -> Vec<Value> {
    let mut vectors = Vec::new();
    for (name, make) in MISTAKES {
        let mut authenticator = Authenticator::synced();
        let stored = stored_fields(&authenticator);
        for kind in ["create", "get"] {
            let accepted = [
                false,
                REFUSED_ONLY_HERE.contains(&&*format!("{kind}: {name}")),
            ];
            let mut client = authenticator.client_data(&format!("webauthn.{kind}"), &options());
            make(&mut authenticator, &mut client);
            let data = authenticator.authenticator_data(kind == "create");
            vectors.push(if kind == "create" {
                let body = authenticator.creation_response_with(&options(), &client, &data);
                vector(kind, name, &body, accepted)
            } else {
                let body = authenticator.assertion_response_with(&options(), &client, &data);
                assertion(name, &stored, &body, accepted)
            });
        }
    }
    vectors
}

fn wrong_signatures_counters_and_bytes() -> Vec<Value> {
    let mut key = Authenticator::device_bound();
    key.counter = 9;
    let kept = stored_fields(&key);
    let mut signed = key.assertion_response(&options());
    signed["credential"]["response"]["signature"] = json!(encode(&key.sign(b"other")));
    let mut vectors = vec![assertion("signature", &kept, &signed, NEITHER)];
    key.counter = 3;
    let body = key.assertion_response(&options());
    vectors.push(assertion("a smaller counter", &kept, &body, NEITHER));
    key.counter = 12;
    key.flags |= BACKUP_ELIGIBLE;
    let body = key.assertion_response(&options());
    vectors.push(assertion("became eligible", &kept, &body, ONLY_REFERENCE));

    let mut phone = Authenticator::synced();
    phone.counter = 9;
    let kept = stored_fields(&phone);
    phone.counter = 3;
    let body = phone.assertion_response(&options());
    let name = "a smaller counter of a synced passkey";
    vectors.push(assertion(name, &kept, &body, ONLY_OURS));
    phone.counter = 20;
    let data = [phone.authenticator_data(false), vec![0]].concat();
    let client = phone.client_data("webauthn.get", &options());
    let body = phone.assertion_response_with(&options(), &client, &data);
    vectors.push(assertion("a byte too many", &kept, &body, NEITHER));
    vectors
}

/// An attestation object with this authenticator data, whose length is written in one byte.
pub fn attestation_object(data: &[u8]) -> Vec<u8> {
    let head = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData";
    [&head[..], &[0x58, data.len() as u8], data].concat()
}

fn attestation_objects() -> Vec<Value> {
    let authenticator = Authenticator::synced();
    let data = authenticator.authenticator_data(true);
    let client = authenticator.client_data("webauthn.create", &options());
    let whole = attestation_object(&data);
    let bytes = &whole[whole.len() - data.len() - 2..];
    let mut twice = [&whole[..], b"\x63fmt\x64none"].concat();
    twice[0] = 0xa4;
    let with = |head: &[u8]| [head, b"\x68authData", bytes].concat();
    let cases = [
        ("whole", whole.clone(), BOTH),
        ("empty", vec![], NEITHER),
        ("no map", vec![1], NEITHER),
        ("cut off", whole[..whole.len() - 9].to_vec(), NEITHER),
        ("a key twice", twice, NEITHER),
        (
            "a format in bytes",
            with(b"\xa3\x63fmt\x44none\x67attStmt\xa0"),
            NEITHER,
        ),
        (
            "a number as format",
            with(b"\xa3\x63fmt\x01\x67attStmt\xa0"),
            NEITHER,
        ),
        ("no format", with(b"\xa2\x67attStmt\xa0"), NEITHER),
        ("no statement", with(b"\xa2\x63fmt\x64none"), NEITHER),
        (
            "a text as statement",
            with(b"\xa3\x63fmt\x64none\x67attStmt\x61x"),
            ONLY_REFERENCE,
        ),
        (
            "another format",
            with(b"\xa3\x63fmt\x63xyz\x67attStmt\xa0"),
            ONLY_OURS,
        ),
        (
            "another statement",
            with(b"\xa3\x63fmt\x64none\x67attStmt\xa1\x61x\x01"),
            ONLY_OURS,
        ),
        (
            "a wrong statement",
            with(b"\xa3\x63fmt\x66packed\x67attStmt\xa1\x63sig\x41\x01"),
            ONLY_OURS,
        ),
    ];
    let cases = cases.into_iter().map(|(name, object, accepted)| {
        let body = authenticator.creation_response_with_object(&options(), &client, &object);
        vector("create", &format!("object: {name}"), &body, accepted)
    });
    cases.collect()
}

/// The public key of an authenticator with one member replaced.
fn key_with(authenticator: &Authenticator, label: i128, bytes: Vec<u8>) -> Cbor {
    let Cbor::Map(mut members) = authenticator.cose_key() else {
        unreachable!("a COSE key is a map");
    };
    members.insert(Cbor::Integer(label), Cbor::Bytes(bytes));
    Cbor::Map(members)
}

/// Keys that belong to no private key.
pub fn invalid_keys() -> Vec<(&'static str, Cbor)> {
    let (p256, rsa) = (Authenticator::synced(), Authenticator::rs256());
    let ed25519 = Authenticator::ed25519();
    let zero = vec![0; 32];
    let small = |first: u8| [vec![first], vec![0; 31]].concat();
    // The field's prime, p = 2^255 - 19.
    let prime = [&[0xed][..], &[0xff; 30], &[0x7f]].concat();
    let modulus = |bytes: usize, first: u8| [vec![first], vec![0xff; bytes - 1]].concat();
    let mut even = modulus(256, 0xff);
    even[255] = 0xfe;
    vec![
        ("P-256: off the curve", key_with(&p256, -2, vec![1; 32])),
        (
            "P-256: beyond the field",
            key_with(&p256, -2, vec![0xff; 32]),
        ),
        ("P-256: zero", key_with(&p256, -3, zero.clone())),
        ("Ed25519: off the curve", key_with(&ed25519, -2, small(2))),
        ("Ed25519: of order 1", key_with(&ed25519, -2, small(1))),
        ("Ed25519: of order 4", key_with(&ed25519, -2, zero)),
        ("Ed25519: not canonical", key_with(&ed25519, -2, prime)),
        ("RSA: 1024 bits", key_with(&rsa, -1, modulus(128, 0xff))),
        ("RSA: 2047 bits", key_with(&rsa, -1, modulus(256, 0x7f))),
        ("RSA: 16384 bits", key_with(&rsa, -1, modulus(2048, 0xff))),
        ("RSA: a leading zero", key_with(&rsa, -1, modulus(257, 0))),
        ("RSA: an even modulus", key_with(&rsa, -1, even)),
        ("RSA: no modulus", key_with(&rsa, -1, vec![])),
        ("RSA: exponent 1", key_with(&rsa, -2, vec![1])),
        ("RSA: an even exponent", key_with(&rsa, -2, vec![1, 0, 0])),
        ("RSA: a long exponent", key_with(&rsa, -2, vec![1; 9])),
    ]
}

fn responses_with_invalid_keys() -> Vec<Value> {
    let authenticator = Authenticator::synced();
    let client = authenticator.client_data("webauthn.create", &options());
    let keys = invalid_keys().into_iter().map(|(name, key)| {
        let data = authenticator.authenticator_data_with_key(&key);
        let body = authenticator.creation_response_with(&options(), &client, &data);
        vector("create", &format!("key: {name}"), &body, ONLY_REFERENCE)
    });
    keys.collect()
}

/// Client data as a decoder of UTF-8 has to read it.
fn client_data_in_bytes() -> Vec<Value> {
    let authenticator = Authenticator::synced();
    let stored = stored_fields(&authenticator);
    let mut vectors = Vec::new();
    for (name, prefix, accepted) in [
        ("a byte order mark", "\u{feff}", BOTH),
        ("two byte order marks", "\u{feff}\u{feff}", NEITHER),
    ] {
        let client = |kind| format!("{prefix}{}", authenticator.client_data(kind, &options()));
        let created = authenticator.creation_response_of_bytes(
            &options(),
            client("webauthn.create").as_bytes(),
            &attestation_object(&authenticator.authenticator_data(true)),
        );
        vectors.push(vector("create", name, &created, accepted));
        let data = authenticator.authenticator_data(false);
        let client = client("webauthn.get");
        let body = authenticator.assertion_response_of_bytes(&options(), client.as_bytes(), &data);
        vectors.push(assertion(name, &stored, &body, accepted));
    }
    vectors
}

/// Keys and signatures are random, so only names and verdicts of the file are compared. `ACCOUNT_WRITE_VECTORS=1` makes
/// this test write the file again.
#[test]
fn the_committed_vectors_match_the_authenticator() {
    let vectors = [
        valid_responses(),
        responses_with_one_mistake(),
        wrong_signatures_counters_and_bytes(),
        attestation_objects(),
        responses_with_invalid_keys(),
        client_data_in_bytes(),
    ]
    .concat();
    let emitted = json!({"challenge": encode(&[42; 32]), "rp_id": "localhost",
        "origin": "http://localhost:8080", "vectors": vectors});
    if std::env::var_os("ACCOUNT_WRITE_VECTORS").is_some() {
        let text = serde_json::to_string_pretty(&emitted).unwrap();
        std::fs::write(FILE, format!("{text}\n")).unwrap();
    }
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let summary = |file: &Value| -> Vec<Value> {
        let vectors = file["vectors"].as_array().unwrap().iter();
        let one = |v: &Value| json!([v["name"], v["ours"], v["reference"]]);
        vectors.map(one).collect()
    };
    assert_eq!(summary(&stored), summary(&emitted));
}
