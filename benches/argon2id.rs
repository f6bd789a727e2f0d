//! The cost of one Argon2id hash of 19 MiB and two passes, by each implementation, with memory that is allocated for
//! each hash or reused (docs/decisions/argon2.md).
//!
//! `cargo bench --bench argon2id`. On Linux the times are the CPU time of the thread, which other work on the machine
//! affects least. The implementations run in turns, so that any disturbance affects all of them.

use std::time::{Duration, Instant};

use argon2_rust::params::Memory;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const ROUNDS: usize = 60;
const PASSWORD: &[u8] = b"correct horse battery staple";
const SALT: &[u8] = b"sixteen bytes 16";

type Tag = [u8; 32];

struct Implementation {
    name: String,
    hash: Box<dyn FnMut(&mut Tag)>,
    durations: Vec<Duration>,
}

fn main() {
    let mut implementations = rustcrypto();
    implementations.extend(argon2_rust());
    let mut tags = vec![Tag::default(); implementations.len()];
    for _ in 0..ROUNDS {
        for (implementation, tag) in implementations.iter_mut().zip(&mut tags) {
            let (wall, before) = (Instant::now(), thread_cpu());
            (implementation.hash)(tag);
            let took = before.zip(thread_cpu()).map(|(a, b)| b.saturating_sub(a));
            implementation
                .durations
                .push(took.unwrap_or_else(|| wall.elapsed()));
        }
    }
    assert!(tags.iter().all(|tag| *tag == tags[0]), "one tag for all");
    print_results(&mut implementations);
}

fn print_results(implementations: &mut [Implementation]) {
    let mut first = None;
    println!("{MEMORY_KIB} KiB, {PASSES} passes, 1 lane; medians of {ROUNDS}");
    for Implementation {
        name, durations, ..
    } in implementations
    {
        durations.sort_unstable();
        let median = durations[durations.len() / 2].as_secs_f64();
        let ratio = *first.get_or_insert(median) / median;
        let (ms, rate) = (median * 1e3, 1.0 / median);
        println!("{name:34} {ms:7.2} ms {rate:7.1} hashes/s  {ratio:5.2} times");
    }
}

fn rustcrypto() -> Vec<Implementation> {
    use argon2::{Algorithm, Argon2, Block, Params, Version};
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).expect("constants");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let kept = argon2.clone();
    let mut memory = vec![Block::new(); MEMORY_KIB as usize];
    vec![
        implementation("RustCrypto", move |tag| {
            argon2
                .hash_password_into(PASSWORD, SALT, tag)
                .expect("constants");
        }),
        implementation("RustCrypto, memory kept", move |tag| {
            kept.hash_password_into_with_memory(PASSWORD, SALT, tag, &mut memory)
                .expect("constants");
        }),
    ]
}

fn argon2_rust() -> Vec<Implementation> {
    use argon2_rust::{Algorithm, Argon2, Params, Version};
    let params = Params::builder()
        .memory(Memory::kib(MEMORY_KIB.into()))
        .passes(PASSES)
        .build()
        .expect("constants");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut kept = argon2.hasher();
    let kernel = argon2_rust::detected_backend();
    vec![
        implementation(&format!("argon2-rust, {kernel}"), move |tag| {
            argon2.hash_into(PASSWORD, SALT, tag).expect("constants");
        }),
        implementation(&format!("argon2-rust, {kernel}, memory kept"), move |tag| {
            kept.hash_into(PASSWORD, SALT, tag).expect("constants");
        }),
    ]
}

fn implementation(name: &str, hash: impl FnMut(&mut Tag) + 'static) -> Implementation {
    Implementation {
        name: name.to_owned(),
        hash: Box::new(hash),
        durations: Vec::with_capacity(ROUNDS),
    }
}

/// The CPU time of the thread, the first figure of schedstat (Linux, sched-stats.rst) in nanoseconds. The kernel
/// updates it when a thread yields; otherwise it is some milliseconds old.
fn thread_cpu() -> Option<Duration> {
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = stat.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
