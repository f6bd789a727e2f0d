//! Authenticator apps: time-based one-time passwords (RFC 6238) with the parameters that every app supports: SHA-1, six
//! digits, 30 seconds, a secret of 160 bits (RFC 4226 section 4). Codes of the adjacent time steps are accepted too.

use fast_qr::convert::svg::SvgBuilder;
use fast_qr::{ECL, QRBuilder};
use serde::Serialize;
use totp_rs::{Builder, Totp};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::accounts::prelude::*;
use crate::crypto::sealing::{FieldLocation, SealedColumn};
use crate::domain::secret::SecretHash;
use crate::store::totp::{self, StoredTotp};

const SECRET_BYTES: usize = 20;

pub(crate) struct TotpSecret(Zeroizing<Vec<u8>>);

/// The data for an authenticator app, which are shown during its set-up only.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TotpSetup {
    /// The secret in base32 (RFC 4648).
    pub secret: String,
    /// The URI that authenticator apps open, `otpauth://totp/…`.
    pub uri: String,
    /// The QR code of `uri`, as an SVG document.
    pub qr_svg: String,
}

fn secret_location(account: Uuid) -> FieldLocation {
    FieldLocation {
        column: SealedColumn::TotpSecret,
        row: account,
    }
}

impl TotpSecret {
    fn generate(app: &App) -> TotpSecret {
        TotpSecret(Zeroizing::new(app.rng.bytes::<SECRET_BYTES>().to_vec()))
    }

    pub(crate) fn open(app: &App, account: Uuid, stored: &StoredTotp) -> ApiResult<TotpSecret> {
        Ok(TotpSecret(
            app.sealing.open(secret_location(account), &stored.secret)?,
        ))
    }

    /// Stores a new secret as an unconfirmed authenticator app of the session. Returns `second_factor_enabled` if the
    /// account has a confirmed app.
    pub(crate) async fn begin_setup(
        change: &mut Change<'_>,
        account: Uuid,
        session: &SecretHash,
    ) -> ApiResult<TotpSecret> {
        let (app, now) = (change.app, change.now);
        let secret = TotpSecret::generate(app);
        let location = secret_location(account);
        let sealed = app.sealing.seal(change, location, &secret.0).await?;
        match totp::begin_setup(change, account, session, &sealed, now).await? {
            true => Ok(secret),
            false => Err(ErrorCode::SecondFactorEnabled.into()),
        }
    }

    pub(crate) fn base32(&self) -> String {
        self.totp("", "").secret().to_base32()
    }

    /// Returns the code at a time in seconds since 1970 UTC.
    pub(crate) fn code_at(&self, seconds: u64) -> String {
        self.totp("", "").generate(seconds).to_string()
    }

    /// Returns the 30-second time step of this code, if it is within one step of now (`millis` since 1970 UTC).
    pub(crate) fn matching_step(&self, code: &str, millis: i64) -> Option<i64> {
        let seconds = u64::try_from(millis / 1000).ok()?;
        let step = self.totp("", "").check(code, seconds)?;
        i64::try_from(step).ok()
    }

    pub(crate) fn setup(&self, issuer: &str, account_name: &str) -> ApiResult<TotpSetup> {
        let totp = self.totp(issuer, account_name);
        let uri = totp.to_url().map_err(|error| qr_code_error(&error))?;
        let qr = QRBuilder::new(uri.as_str()).ecl(ECL::M).build();
        let qr = qr.map_err(|error| qr_code_error(&error))?;
        Ok(TotpSetup {
            secret: totp.secret().to_base32(),
            qr_svg: SvgBuilder::default().to_str(&qr),
            uri,
        })
    }

    /// Colons become spaces, because authenticator apps split the label of the `otpauth` URI at a colon.
    fn totp(&self, issuer: &str, account_name: &str) -> Totp {
        let issuer = issuer.replace(':', " ");
        Builder::new()
            .with_secret(self.0.to_vec())
            .with_account_name(account_name.replace(':', " "))
            .with_issuer(Some(issuer).filter(|issuer| !issuer.is_empty()))
            .build_noncompliant()
    }
}

fn qr_code_error(error: &dyn std::fmt::Debug) -> ApiError {
    tracing::error!(
        ?error,
        "the QR code of an authenticator app cannot be drawn"
    );
    ErrorCode::Internal.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example_secret() -> TotpSecret {
        // The secret is from RFC 6238 appendix B.
        TotpSecret(Zeroizing::new(b"12345678901234567890".to_vec()))
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // The codes are the last six of the eight digits in RFC 6238 appendix B.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            let found = example_secret().matching_step(code, seconds * 1000);
            assert_eq!(found, Some(seconds / 30), "{seconds}");
        }
    }

    // security: TF-9
    #[test]
    fn a_code_is_valid_for_one_step_to_either_side() {
        let at = 1_111_111_111_000;
        let step = at / 30_000;
        for (offset, accepted) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let found = example_secret().matching_step("050471", at + offset * 30_000);
            assert_eq!(found, accepted.then_some(step), "{offset}");
        }
    }

    #[test]
    fn only_six_digits_are_a_code() {
        let at = 1_111_111_111_000;
        for wrong in ["", "05047", "0504711", "05047a", "０５０４７１", "-50471"] {
            assert_eq!(example_secret().matching_step(wrong, at), None, "{wrong}");
        }
    }

    #[test]
    fn the_uri_names_site_account_and_secret() {
        let setup = example_secret()
            .setup("Space: Show", "riley+1@example.org")
            .unwrap();
        assert_eq!(setup.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let uri = url::Url::parse(&setup.uri).unwrap();
        assert_eq!((uri.scheme(), uri.host_str()), ("otpauth", Some("totp")));
        let query: std::collections::HashMap<_, _> = uri.query_pairs().collect();
        assert_eq!(query["secret"], setup.secret);
        assert_eq!(query["issuer"], "Space  Show");
        assert!(setup.qr_svg.starts_with("<svg") && setup.qr_svg.len() < 40_000);
    }
}
