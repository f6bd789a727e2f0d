//! The networks that limits count by: an IPv4 address, and of IPv6 a /64 and a /48.

use std::collections::HashMap;

use account::testing::rate_limit::{LimitName, Subject};

use super::count_passed;
use crate::support::prelude::*;

on_both_databases!(
    an_ipv6_slash_64_is_one_network_and_a_slash_48_counts_as_sixteen,
    counts_of_networks_follow_their_model,
);

// security: RL-2
async fn an_ipv6_slash_64_is_one_network_and_a_slash_48_counts_as_sixteen(site: Site) {
    let token =
        json!({"token": "A".repeat(43), "new_password": PASSWORD, "confirm_password": PASSWORD});
    for (site_number, path, body) in [
        (1, "/register", json!({})),
        (2, "/reset-password/confirm", token),
    ] {
        let from_ip = async |ip: &str| site.browser().moved_to(ip).post(path, &body).await;
        let from = async |site_number: usize, network: usize, host: usize| {
            from_ip(&format!(
                "2001:db8:{site_number}:{network:x}:{host:x}::{host:x}"
            ))
            .await
        };
        // Both limits allow 20 requests of one network.
        assert_eq!(
            count_passed(340, async |n| from(site_number, n % 17, n).await).await,
            320
        );
        assert_eq!(from(site_number, 0x99, 0).await.status, 429);
        assert_ne!(from(9, 0, 0).await.status, 429);
        assert_ne!(from_ip("192.0.2.9").await.status, 429);
    }
}

/// Counts and refunds of random addresses, compared with counters in memory.
async fn counts_of_networks_follow_their_model(db: Database) {
    let site = db
        .site_with(|c| c.limits.login_ip = "3/h".parse().unwrap())
        .await;
    let limiter = &site.app.rate_limiter;
    let mut random = 1_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % below
    };
    let mut hits: HashMap<String, i64> = HashMap::new();
    let mut tx = site.app.store.write().await.unwrap();
    let mut refused = 0;
    for _ in 0..1500 {
        let (prefix, network, host) = (next(2), next(40), next(1000));
        // The counters of the address, each with its limit.
        let (ip, counters) = match next(4) {
            kind @ 0..2 => (
                format!("{}192.0.2.{network}", ["", "::ffff:"][kind as usize]),
                vec![(format!("v4 {network}"), 3)],
            ),
            _ => (
                format!("2001:db8:{prefix}:{network:x}::{host:x}"),
                vec![(format!("{prefix} {network}"), 3), (prefix.to_string(), 48)],
            ),
        };
        let action = [LimitName::SignInFrom.of(Subject::Network(ip.parse().unwrap()))];
        let is_allowed = counters.iter().all(|(name, limit)| {
            let count = hits.entry(name.clone()).or_default();
            *count += 1;
            *count <= *limit
        });
        let counted = limiter
            .count_within_limits(&mut tx, &action, site.now())
            .await;
        assert_eq!(counted.unwrap(), is_allowed, "{ip}");
        refused += u32::from(!is_allowed);
        if is_allowed && next(3) == 0 {
            limiter.refund(&mut tx, &action).await.unwrap();
            for (name, _) in counters {
                *hits.get_mut(&name).unwrap() -= 1;
            }
        }
    }
    assert!((300..1400).contains(&refused), "{refused}");
}
