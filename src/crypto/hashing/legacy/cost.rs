//! Limits for the cost of one computation of a legacy hash, which are about a second of one core, and 129 MiB of
//! memory.
//!
//! The operator provides the hashes, but their parameters determine how long a stranger's sign-in attempt occupies a
//! core, so they are limited like any other input. The limits are above the defaults of well-known systems: a million
//! rounds in Django 5.2, bcrypt with a cost of 10 to 12, 656,000 rounds of sha512-crypt in passlib, and OWASP's scrypt
//! with N = 2^17.
//!
//! The durations were measured on one core of an AMD EPYC server without its SHA instructions, and rounded up. On an
//! Intel Xeon a hash at the limit took 0.6 s of processor time (scrypt), 0.9 s (Argon2) and 1.0 s (bcrypt). A password
//! that is tried as typed and in NFC takes twice as long.

use super::{HashRefused, HashResult};

const BUDGET_NANOSECONDS: u64 = 1_000_000_000;

/// The length of a password for which a hash must be computed within the time limit. A hash that takes longer is
/// refused when it is parsed.
const TYPICAL_PASSWORD_BYTES: usize = 72;

/// The maximum product of memory in KiB and passes. Argon2 takes 0.7 to 0.9 s to write 1 GiB once.
const MAX_ARGON2_WORK: u64 = 1024 * 1024;
const MAX_ARGON2_MEMORY_KIB: u64 = 128 * 1024;

/// The maximum of N·r·p of scrypt, which is twice OWASP's first choice and takes 0.9 s.
const MAX_SCRYPT_WORK: u64 = 1 << 21;
/// The maximum of N·r of scrypt, in blocks of 128 bytes: 128 MiB, as for N = 2^17 and r = 8.
const MAX_SCRYPT_TABLE_BLOCKS: u64 = 1 << 20;
const MAX_SCRYPT_LANE_BLOCKS: u64 = 1 << 13;

/// The permitted cost parameters of bcrypt. A cost of 14, which is 2^14 rounds, takes 0.9 s.
const BCRYPT_COSTS: std::ops::RangeInclusive<u64> = 4..=14;
/// The maximum cost in the format of bcrypt. A hash with a higher cost is malformed rather than too expensive.
const MAX_BCRYPT_FORMAT_COST: u64 = 31;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HashFunction {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

impl HashFunction {
    fn nanoseconds_per_compression(self) -> u64 {
        match self {
            HashFunction::Md5 | HashFunction::Sha1 => 150,
            HashFunction::Sha256 => 200,
            HashFunction::Sha512 => 300,
        }
    }

    /// Returns whether so many calls of the compression function take no longer than `BUDGET_NANOSECONDS`.
    pub(super) fn can_afford(self, compressions: u64) -> bool {
        compressions.saturating_mul(self.nanoseconds_per_compression()) <= BUDGET_NANOSECONDS
    }

    /// Returns the number of compressions that hash this number of bytes, including the padding.
    fn compressions(self, bytes: u64) -> u64 {
        let (block, padding) = if self == HashFunction::Sha512 {
            (128, 17)
        } else {
            (64, 9)
        };
        bytes.saturating_add(padding).div_ceil(block)
    }
}

/// The rounds of phpass and crypt(3). Each round hashes the password again, so the cost also depends on the length of
/// the password.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    pub(super) primitive: HashFunction,
    pub(super) count: u64,
    /// The number of bytes that each round hashes in addition to the password.
    pub(super) fixed: u64,
    /// The maximum number of times that a round hashes the password.
    pub(super) copies: u64,
}

impl Rounds {
    /// Checks, for `parse`, that a password of typical length is verified within the time limit.
    pub(super) fn check(self) -> HashResult<()> {
        check_bound(self.can_afford(TYPICAL_PASSWORD_BYTES))
    }

    /// Returns, for `verify`, whether a password of this number of bytes is verified within the time limit. A longer
    /// password counts as wrong, and its owner migrates by mail. With passlib's rounds, a password may have
    /// about 250 bytes.
    pub(super) fn can_afford(self, password: usize) -> bool {
        let password = password as u64;
        let input = password
            .saturating_mul(self.copies)
            .saturating_add(self.fixed);
        let rounds = self
            .count
            .saturating_mul(self.primitive.compressions(input));
        // Before its rounds, crypt(3) hashes the password once per byte of the password.
        let start = self
            .primitive
            .compressions(password.saturating_mul(password));
        self.primitive.can_afford(rounds.saturating_add(start))
    }
}

pub(super) fn check_argon2(memory_kib: u64, passes: u64) -> HashResult<()> {
    check_bound(
        memory_kib <= MAX_ARGON2_MEMORY_KIB && memory_kib.saturating_mul(passes) <= MAX_ARGON2_WORK,
    )
}

pub(super) fn check_scrypt(log_n: u64, r: u64, p: u64) -> HashResult<()> {
    let n = u32::try_from(log_n)
        .ok()
        .and_then(|log_n| 1_u64.checked_shl(log_n));
    let n = n.ok_or(HashRefused::TooCostly)?;
    let (table, lanes) = (n.saturating_mul(r), r.saturating_mul(p));
    let work = table.saturating_mul(p);
    check_bound(
        work <= MAX_SCRYPT_WORK
            && table <= MAX_SCRYPT_TABLE_BLOCKS
            && lanes <= MAX_SCRYPT_LANE_BLOCKS,
    )
}

pub(super) fn check_bcrypt(cost: u64) -> HashResult<u32> {
    if cost < *BCRYPT_COSTS.start() || cost > MAX_BCRYPT_FORMAT_COST {
        return Err(HashRefused::Malformed);
    }
    check_bound(BCRYPT_COSTS.contains(&cost))?;
    u32::try_from(cost).map_err(|_| HashRefused::Malformed)
}

pub(super) fn check_bound(bound_holds: bool) -> HashResult<()> {
    if bound_holds {
        Ok(())
    } else {
        Err(HashRefused::TooCostly)
    }
}
