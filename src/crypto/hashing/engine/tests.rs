use argon2_rust::params::{Memory, TagLen};
use proptest::prelude::*;

use super::*;

fn engine(memory_kib: u32, passes: u32, lanes: u32, is_fast: bool) -> Engine {
    Engine {
        params: Params::new(memory_kib, passes, lanes, None).unwrap(),
        fast: OnceLock::from(is_fast),
    }
}

fn password(text: &str) -> Password {
    Password::from_input(text).unwrap()
}

/// Computes the test vector of RFC 9106, section 5.3. The test vector has a secret and associated data, which the
/// program does not use.
#[test]
fn the_test_vector_of_rfc_9106_matches() {
    let expected = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659";
    let params = argon2_rust::Params::builder()
        .memory(Memory::kib(32))
        .passes(3)
        .lanes(4)
        .tag_len(TagLen::bytes(32))
        .build()
        .unwrap();
    let mut hasher = fast_argon2(params).hasher();
    let mut out = [0; 32];
    hasher
        .hash_into_with_ad(&[1; 32], &[2; 16], &[3; 8], &[4; 12], &mut out)
        .unwrap();
    let hex: String = out.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, expected);
}

/// The first hashing thread compares the implementations, so that the comparison does not delay the start of the
/// program.
#[test]
fn this_machine_uses_the_fast_implementation_after_comparing_both() {
    assert!(implementations_agree(&Params::default()));
    let engine = Engine::new(Params::default());
    assert_eq!(engine.fast.get(), None);
    assert!(engine.is_fast());
    assert_eq!(engine.fast.get(), Some(&true));
}

#[test]
fn both_implementations_write_equal_hashes_and_verify_each_other() {
    let (fast, portable) = (engine(19456, 2, 1, true), engine(19456, 2, 1, false));
    let (mut arena, mut unused) = (fast.arena(), portable.arena());
    let right = password("correct horse battery staple");
    let by_fast = fast.hash(&mut arena, &right, &[7; 16]).unwrap();
    let by_portable = portable.hash(&mut unused, &right, &[7; 16]).unwrap();
    assert_eq!(by_fast, by_portable);
    assert!(by_fast.starts_with("$argon2id$v=19$m=19456,t=2,p=1$BwcHBwcHBwcHBwcHBwcHBw$"));
    assert!(fast.verify(&mut arena, &right, &by_portable).unwrap());
    assert!(portable.verify(&mut unused, &right, &by_fast).unwrap());
    let wrong = password("correct horse battery stapler");
    assert!(!fast.verify(&mut arena, &wrong, &by_fast).unwrap());
    assert!(!portable.verify(&mut unused, &wrong, &by_fast).unwrap());
    assert_eq!(unused.hasher.reserved_blocks(), 0, "RustCrypto has its own");
}

#[test]
fn hashes_of_other_argon2_variants_are_verified() {
    let fast = engine(64, 1, 1, true);
    let known = [
        "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
    ];
    for hash in known {
        let mut arena = fast.arena();
        for (text, matches) in [("password", true), ("passwore", false)] {
            let verified = fast.verify(&mut arena, &password(text), hash);
            assert_eq!(verified.unwrap(), matches, "{text} {hash}");
        }
    }
    let mut arena = fast.arena();
    let unreadable = fast.verify(&mut arena, &password("password"), "$argon2id$what");
    assert!(!unreadable.unwrap());
}

#[test]
fn the_additional_memory_of_a_larger_hash_is_freed() {
    let (today, larger) = (engine(64, 1, 1, true), engine(256, 1, 1, true));
    let mut arena = today.arena();
    assert_eq!(
        arena.hasher.reserved_blocks(),
        0,
        "nothing before the first hash"
    );
    let right = password("a password");
    let hash = today.hash(&mut arena, &right, &[1; 16]).unwrap();
    assert_eq!(arena.hasher.reserved_blocks(), 64);
    let old = larger.hash(&mut larger.arena(), &right, &[1; 16]).unwrap();
    assert!(today.verify(&mut arena, &right, &old).unwrap());
    assert_eq!(arena.hasher.reserved_blocks(), 0);
    assert!(today.verify(&mut arena, &right, &hash).unwrap());
    assert_eq!(arena.hasher.reserved_blocks(), 64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Uses one arena for hashes of all sizes, because the memory of one hash must not influence the next hash.
    #[test]
    fn both_implementations_compute_the_same_hash(
        jobs in prop::collection::vec(
            (
                (8_u32..600, 1_u32..4, 1_u32..5),
                prop::collection::vec(any::<u8>(), 0..200),
                prop::collection::vec(any::<u8>(), 8..64),
                4_usize..200,
            ),
            1..4,
        ),
    ) {
        let (fast, portable) = (engine(512, 1, 1, true), engine(512, 1, 1, false));
        let mut arena = fast.arena();
        for ((memory, passes, lanes), password, salt, length) in jobs {
            let params = Params::new(memory.max(8 * lanes), passes, lanes, Some(length)).unwrap();
            prop_assert!(fast.fast_params(&params, length).is_some());
            let (mut a, mut b) = (vec![0; length], vec![0; length]);
            fast.compute_hash(&mut arena, &params, &password, &salt, &mut a).unwrap();
            portable.compute_hash(&mut portable.arena(), &params, &password, &salt, &mut b).unwrap();
            prop_assert_eq!(a, b);
        }
    }
}
