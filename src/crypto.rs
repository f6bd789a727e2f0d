//! Cryptography: password hashing, sealing (encryption), signing (JOSE), and signed text (HMAC).

pub(crate) mod hashing;
pub(crate) mod sealing;
pub(crate) mod signed_text;
pub(crate) mod signing;
