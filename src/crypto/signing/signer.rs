//! Generates private keys and signs with them. The rsa crate generates RSA keys, because ring, which signs, cannot
//! generate them.

use std::convert::Infallible;

use ring::rand::SystemRandom;
use ring::rsa::{KeyPair as RsaKeyPair, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
};
use rsa::pkcs8::EncodePrivateKey;
use rsa::rand_core::{TryCryptoRng, TryRng};
use zeroize::Zeroizing;

use super::PublicKey;
use crate::config::SigningAlgorithm;
use crate::rng::Rng;

/// The minimum size of an RSA key (RFC 7518 section 3.3). NIST SP 800-57 permits this size (112 bits) until 2030.
const RSA_BITS: usize = 2048;

pub(crate) struct NewKey {
    pub public_key: PublicKey,
    /// The private key in PKCS #8, or the seed of an Ed25519 key.
    pub private_key: Zeroizing<Vec<u8>>,
}

impl NewKey {
    /// Generates a private key. The generation of an RSA key takes some tenths of a second.
    pub(crate) fn generate(algorithm: SigningAlgorithm, rng: &Rng) -> NewKey {
        let private_key = match algorithm {
            SigningAlgorithm::RS256 => {
                let key = rsa::PrivateKey::new(&mut SigningRng(rng), RSA_BITS);
                let key = key.expect("the size is one that the crate makes");
                let encoded = key.to_pkcs8_der().expect("a whole key");
                Zeroizing::new(encoded.as_bytes().to_vec())
            }
            SigningAlgorithm::ES256 => {
                let random = SystemRandom::new();
                let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
                let made = made.expect("the operating system's randomness");
                Zeroizing::new(made.as_ref().to_vec())
            }
            SigningAlgorithm::EdDSA => Zeroizing::new(rng.bytes::<32>().to_vec()),
        };
        let signer = Signer::parse(algorithm, &private_key).expect("a key that was just made");
        NewKey {
            public_key: signer.public_key(),
            private_key,
        }
    }
}

/// A private key that has been parsed and can sign.
pub(crate) enum Signer {
    Rsa(Box<RsaKeyPair>),
    P256(Box<EcdsaKeyPair>),
    Ed25519(Box<Ed25519KeyPair>),
}

impl Signer {
    /// Parses a private key. Returns `None` if the bytes are not a key of this algorithm.
    pub(crate) fn parse(algorithm: SigningAlgorithm, key: &[u8]) -> Option<Signer> {
        Some(match algorithm {
            SigningAlgorithm::RS256 => Signer::Rsa(Box::new(RsaKeyPair::from_pkcs8(key).ok()?)),
            SigningAlgorithm::ES256 => {
                let random = SystemRandom::new();
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key, &random);
                Signer::P256(Box::new(pair.ok()?))
            }
            SigningAlgorithm::EdDSA => {
                let pair = Ed25519KeyPair::from_seed_unchecked(key);
                Signer::Ed25519(Box::new(pair.ok()?))
            }
        })
    }

    pub(crate) fn algorithm(&self) -> SigningAlgorithm {
        match self {
            Signer::Rsa(_) => SigningAlgorithm::RS256,
            Signer::P256(_) => SigningAlgorithm::ES256,
            Signer::Ed25519(_) => SigningAlgorithm::EdDSA,
        }
    }

    fn public_key(&self) -> PublicKey {
        match self {
            Signer::Rsa(pair) => {
                let PublicKeyComponents { n, e } = PublicKeyComponents::from(pair.public());
                PublicKey::Rsa { n, e }
            }
            Signer::P256(pair) => PublicKey::P256(pair.public_key().as_ref().to_vec()),
            Signer::Ed25519(pair) => PublicKey::Ed25519(pair.public_key().as_ref().to_vec()),
        }
    }

    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Signer::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature)
                    .expect("the signature has the length of the modulus");
                signature
            }
            Signer::P256(pair) => {
                let signature = pair.sign(&random, message);
                let signature = signature.expect("the operating system's randomness");
                signature.as_ref().to_vec()
            }
            Signer::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }
}

/// An adapter that lets the rsa crate use the random generator of this program.
struct SigningRng<'a>(&'a Rng);

impl TryRng for SigningRng<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.0.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.0.bytes()))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for chunk in out.chunks_mut(32) {
            chunk.copy_from_slice(&self.0.bytes::<32>()[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for SigningRng<'_> {}
