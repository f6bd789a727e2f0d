//! The format `$scrypt$ln=16,r=8,p=1$salt$hash` (RFC 7914), where `ln` is the binary logarithm of N. Ory Kratos writes
//! N itself, as in `ln=16384`.

use scrypt::Params;
use subtle::ConstantTimeEq;

use super::phc::PhcString;
use super::{HashRefused, HashResult, cost};

/// The maximum logarithm of N. A larger `ln` is not a logarithm, but N itself.
const MAX_LOG_N: u64 = 63;

pub(super) fn parse(rest: &str) -> HashResult {
    let phc = PhcString::parse(rest)?;
    let [Some(ln), Some(r), Some(p)] = phc.parse_numbers(["ln", "r", "p"])? else {
        return Err(HashRefused::Malformed);
    };
    let log_n = match ln {
        0..=MAX_LOG_N => ln,
        n if n.is_power_of_two() => n.ilog2().into(),
        _ => return Err(HashRefused::Malformed),
    };
    if phc.version.is_some() || log_n == 0 {
        return Err(HashRefused::Malformed);
    }
    cost::check_scrypt(log_n, r, p)?;
    let log_n = u8::try_from(log_n).map_err(|_| HashRefused::Malformed)?;
    let number = |value: u64| u32::try_from(value).map_err(|_| HashRefused::Malformed);
    let params = Params::new(log_n, number(r)?, number(p)?).map_err(|_| HashRefused::Malformed)?;
    Ok(Box::new(move |password| {
        let mut computed = vec![0; phc.digest.len()];
        // The computation of scrypt fails only for an empty digest, which `PhcString::parse` refuses.
        scrypt::scrypt(password, &phc.salt, &params, &mut computed).is_ok()
            && computed.ct_eq(&phc.digest).into()
    }))
}
