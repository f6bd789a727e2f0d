//! An authenticator (WebAuthn Level 3, CTAP 2) with one credential. A test can change any field of its responses.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use serde_cbor_2::Value as Cbor;
use serde_json::{Value, json};

pub const USER_PRESENT: u8 = 0x01;
pub const USER_VERIFIED: u8 = 0x04;
pub const BACKUP_ELIGIBLE: u8 = 0x08;
pub const BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;

enum Key {
    Es256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rs256(Box<RsaKeyPair>),
}

pub struct Authenticator {
    key: Key,
    pub credential_id: Vec<u8>,
    pub user_handle: Option<Vec<u8>>,
    pub aaguid: [u8; 16],
    /// The flags of every response.
    pub flags: u8,
    pub counter: u32,
    pub rp_id: String,
    pub origin: String,
}

pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn decode(text: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text.as_str().unwrap()).unwrap()
}

fn random<const N: usize>() -> Vec<u8> {
    account::testing::rng::Rng::System.bytes::<N>().to_vec()
}

impl Authenticator {
    fn new(key: Key) -> Authenticator {
        Authenticator {
            key,
            credential_id: random::<24>(),
            user_handle: None,
            aaguid: [0; 16],
            flags: USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE | BACKED_UP,
            counter: 0,
            rp_id: "localhost".to_owned(),
            origin: "http://localhost:8080".to_owned(),
        }
    }

    /// A synced passkey of a phone: ES256, no counter.
    pub fn synced() -> Authenticator {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        Authenticator::new(Key::Es256(key))
    }

    /// A security key: bound to the device, with a counter.
    pub fn device_bound() -> Authenticator {
        Authenticator {
            flags: USER_PRESENT | USER_VERIFIED,
            counter: 1,
            ..Authenticator::synced()
        }
    }

    pub fn ed25519() -> Authenticator {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Authenticator::new(Key::Ed25519(
            Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap(),
        ))
    }

    pub fn rs256() -> Authenticator {
        let key = RsaKeyPair::from_pkcs8(include_bytes!("../../testdata/passkeys/rsa.pk8"));
        Authenticator::new(Key::Rs256(Box::new(key.unwrap())))
    }

    /// The public key in COSE's form (RFC 9052 section 7).
    pub fn cose_key(&self) -> Cbor {
        let int = Cbor::Integer;
        let members = match &self.key {
            Key::Es256(key) => {
                let point = key.public_key().as_ref();
                vec![
                    (1, int(2)),
                    (3, int(-7)),
                    (-1, int(1)),
                    (-2, Cbor::Bytes(point[1..33].to_vec())),
                    (-3, Cbor::Bytes(point[33..].to_vec())),
                ]
            }
            Key::Ed25519(key) => vec![
                (1, int(1)),
                (3, int(-8)),
                (-1, int(6)),
                (-2, Cbor::Bytes(key.public_key().as_ref().to_vec())),
            ],
            Key::Rs256(key) => {
                let public: PublicKeyComponents<Vec<u8>> = key.public().into();
                vec![
                    (1, int(3)),
                    (3, int(-257)),
                    (-1, Cbor::Bytes(public.n)),
                    (-2, Cbor::Bytes(public.e)),
                ]
            }
        };
        let members = members.into_iter().map(|(key, value)| (int(key), value));
        Cbor::Map(members.collect())
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            Key::Es256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Key::Ed25519(key) => key.sign(message).as_ref().to_vec(),
            Key::Rs256(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                    .unwrap();
                signature
            }
        }
    }

    pub fn client_data(&self, kind: &str, options: &Value) -> Value {
        json!({
            "type": kind,
            "challenge": options["publicKey"]["challenge"],
            "origin": self.origin,
            "crossOrigin": false,
        })
    }

    /// The data of a new credential with another public key.
    pub fn authenticator_data_with_key(&self, key: &Cbor) -> Vec<u8> {
        let mut data = self.authenticator_data(true);
        let own = serde_cbor_2::to_vec(&self.cose_key()).unwrap();
        data.truncate(data.len() - own.len());
        data.extend(serde_cbor_2::to_vec(key).unwrap());
        data
    }

    pub fn authenticator_data(&self, with_credential: bool) -> Vec<u8> {
        let mut data = digest(&SHA256, self.rp_id.as_bytes()).as_ref().to_vec();
        data.push(self.flags | if with_credential { HAS_CREDENTIAL } else { 0 });
        data.extend(self.counter.to_be_bytes());
        if with_credential {
            data.extend(self.aaguid);
            data.extend(
                u16::try_from(self.credential_id.len())
                    .unwrap()
                    .to_be_bytes(),
            );
            data.extend(&self.credential_id);
            data.extend(serde_cbor_2::to_vec(&self.cose_key()).unwrap());
        }
        data
    }

    /// The body of `POST /passkeys`.
    pub fn creation_response(&mut self, options: &Value) -> Value {
        self.user_handle = Some(decode(&options["publicKey"]["user"]["id"]));
        let data = self.authenticator_data(true);
        self.creation_response_with(
            options,
            &self.client_data("webauthn.create", options),
            &data,
        )
    }

    pub fn creation_response_with(&self, options: &Value, client: &Value, data: &[u8]) -> Value {
        let object = Cbor::Map(
            [
                (Cbor::Text("fmt".into()), Cbor::Text("none".into())),
                (Cbor::Text("attStmt".into()), Cbor::Map(Default::default())),
                (Cbor::Text("authData".into()), Cbor::Bytes(data.to_vec())),
            ]
            .into(),
        );
        self.creation_response_with_object(options, client, &serde_cbor_2::to_vec(&object).unwrap())
    }

    pub fn creation_response_with_object(
        &self,
        options: &Value,
        client: &Value,
        object: &[u8],
    ) -> Value {
        self.creation_response_of_bytes(options, client.to_string().as_bytes(), object)
    }

    pub fn creation_response_of_bytes(
        &self,
        options: &Value,
        client: &[u8],
        object: &[u8],
    ) -> Value {
        json!({"state": options["state"], "credential": {
            "id": encode(&self.credential_id),
            "rawId": encode(&self.credential_id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(client),
                "attestationObject": encode(object),
                "transports": ["internal", "hybrid"],
                "publicKeyAlgorithm": -7,
            },
        }})
    }

    /// The body of `POST /passkeys/sign-in`. The counter of a device-bound credential grows.
    pub fn assertion_response(&mut self, options: &Value) -> Value {
        if self.counter > 0 {
            self.counter += 1;
        }
        let data = self.authenticator_data(false);
        self.assertion_response_with(options, &self.client_data("webauthn.get", options), &data)
    }

    pub fn assertion_response_with(&self, options: &Value, client: &Value, data: &[u8]) -> Value {
        self.assertion_response_of_bytes(options, client.to_string().as_bytes(), data)
    }

    pub fn assertion_response_of_bytes(
        &self,
        options: &Value,
        client: &[u8],
        data: &[u8],
    ) -> Value {
        let hash = digest(&SHA256, client);
        let signature = self.sign(&[data, hash.as_ref()].concat());
        json!({"state": options["state"], "credential": {
            "id": encode(&self.credential_id),
            "rawId": encode(&self.credential_id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(client),
                "authenticatorData": encode(data),
                "signature": encode(&signature),
                "userHandle": self.user_handle.as_deref().map(encode),
            },
        }})
    }
}
