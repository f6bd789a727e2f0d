//! Parses and checks authenticator data, which the authenticator signs (WebAuthn Level 3 section 6.1).

use ring::digest::{SHA256, digest};
use serde_cbor_2::Value;
use uuid::Uuid;

use crate::accounts::passkey::Rejection;
use crate::accounts::passkey::encoding::parse_strict;
use crate::config::RelyingParty;

const USER_PRESENT_FLAG: u8 = 0x01;
const USER_VERIFIED_FLAG: u8 = 0x04;
const BACKUP_ELIGIBLE_FLAG: u8 = 0x08;
const BACKED_UP_FLAG: u8 = 0x10;
const HAS_CREDENTIAL_FLAG: u8 = 0x40;
const HAS_EXTENSIONS_FLAG: u8 = 0x80;

const RP_ID_HASH_BYTES: usize = 32;
const AAGUID_BYTES: usize = 16;

pub(super) struct AuthenticatorData<'a> {
    rp_id_hash: &'a [u8],
    flags: u8,
    pub counter: u32,
    pub backup_eligible: bool,
    pub backed_up: bool,
    pub credential: Option<AttestedCredential<'a>>,
}

/// A new credential (WebAuthn Level 3 section 6.5.1).
pub(super) struct AttestedCredential<'a> {
    pub aaguid: Uuid,
    pub id: &'a [u8],
    /// The public key in COSE format.
    pub key: Value,
}

impl AuthenticatorData<'_> {
    pub(super) fn parse(bytes: &[u8]) -> Result<AuthenticatorData<'_>, Rejection> {
        let mut rest = bytes;
        let rp_id_hash = take_bytes(&mut rest, RP_ID_HASH_BYTES)?;
        let flags = take_bytes(&mut rest, 1)?[0];
        let counter = take_bytes(&mut rest, 4)?.try_into();
        let credential = match flags & HAS_CREDENTIAL_FLAG {
            0 => None,
            _ => Some(take_credential(&mut rest)?),
        };
        if flags & HAS_EXTENSIONS_FLAG != 0 {
            take_cbor_map(&mut rest)?;
        }
        if !rest.is_empty() {
            return Err(Rejection::Malformed);
        }
        Ok(AuthenticatorData {
            rp_id_hash,
            flags,
            counter: u32::from_be_bytes(counter.map_err(|_| Rejection::Malformed)?),
            backup_eligible: flags & BACKUP_ELIGIBLE_FLAG != 0,
            backed_up: flags & BACKED_UP_FLAG != 0,
            credential,
        })
    }

    /// Rejects data of another site, data of an absent or unverified user, and data with contradicting backup flags.
    pub(super) fn check(&self, party: &RelyingParty) -> Result<(), Rejection> {
        if self.rp_id_hash != digest(&SHA256, party.id.as_bytes()).as_ref() {
            return Err(Rejection::Mismatch("another relying party"));
        }
        if self.flags & USER_PRESENT_FLAG == 0 {
            return Err(Rejection::Mismatch("the person was not present"));
        }
        if self.flags & USER_VERIFIED_FLAG == 0 {
            return Err(Rejection::Mismatch("the person was not verified"));
        }
        if self.backed_up && !self.backup_eligible {
            return Err(Rejection::Mismatch("backed up, but not eligible for it"));
        }
        Ok(())
    }
}

fn take_credential<'a>(rest: &mut &'a [u8]) -> Result<AttestedCredential<'a>, Rejection> {
    let aaguid =
        Uuid::from_slice(take_bytes(rest, AAGUID_BYTES)?).map_err(|_| Rejection::Malformed)?;
    let length = take_bytes(rest, 2)?;
    let length = u16::from_be_bytes([length[0], length[1]]);
    let id = take_bytes(rest, length.into())?;
    let key = take_cbor_map(rest)?;
    Ok(AttestedCredential { aaguid, id, key })
}

fn take_bytes<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], Rejection> {
    let (taken, after) = rest.split_at_checked(length).ok_or(Rejection::Malformed)?;
    *rest = after;
    Ok(taken)
}

fn take_cbor_map(rest: &mut &[u8]) -> Result<Value, Rejection> {
    let (value, length) = parse_strict(rest)?;
    take_bytes(rest, length)?;
    match value {
        Value::Map(_) => Ok(value),
        _ => Err(Rejection::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_or_extended_data_is_refused() {
        let head = [0; 37];
        assert!(AuthenticatorData::parse(&head).is_ok());
        assert!(AuthenticatorData::parse(&head[1..]).is_err());
        assert!(AuthenticatorData::parse(&[&head[..], &[0]].concat()).is_err());
        for flag in [HAS_CREDENTIAL_FLAG, HAS_EXTENSIONS_FLAG] {
            let mut truncated = head;
            truncated[RP_ID_HASH_BYTES] = flag;
            assert!(AuthenticatorData::parse(&truncated).is_err());
        }
    }
}
