//! Parallel requests on several nodes, whose clocks differ: a limit admits exactly its number of actions.

use std::net::{IpAddr, Ipv4Addr};

use account::config::Limits;
use account::testing::rate_limit::{LimitName, LimitedAction, Subject, SubjectKind};
use futures_util::stream::{StreamExt, iter};
use uuid::Uuid;

use crate::support::prelude::*;
use crate::support::site::NOON;

/// The number of actions at a time, which is less than the connections of two nodes.
const PARALLEL: usize = 16;

/// Counts an action in a transaction of its own. Returns whether the action is within its limit.
async fn is_admitted(node: &Site, action: LimitedAction<'_>, now: i64) -> bool {
    let limiter = &node.app.rate_limiter;
    let mut tx = node.app.store.write().await.unwrap();
    let admitted = limiter.count_within_limits(&mut tx, &[action], now).await;
    tx.commit().await.unwrap();
    admitted.unwrap()
}

fn example_of(kind: SubjectKind) -> Subject<'static> {
    let (ip, id) = (IpAddr::V4(Ipv4Addr::LOCALHOST), Uuid::from_u128(7));
    match kind {
        SubjectKind::Network => Subject::Network(ip),
        SubjectKind::NetworkFor => Subject::NetworkFor("example", ip),
        SubjectKind::Email => Subject::Email("example"),
        SubjectKind::Application => Subject::Application("example"),
        SubjectKind::SessionOfApplication => Subject::SessionOfApplication("example", id),
        SubjectKind::Account => Subject::Account(id),
        SubjectKind::Device => Subject::Device(id, &[7; 32]),
        SubjectKind::Passkey => Subject::Passkey(id),
    }
}

/// Sets each limit that is a setting to five actions, and keeps its window.
fn limit_to_five(limits: &mut Limits) {
    let Value::Object(mut settings) = serde_json::to_value(&*limits).unwrap() else {
        panic!("no section of the settings");
    };
    for value in settings.values_mut().filter(|value| value.is_string()) {
        let (_, window) = value.as_str().unwrap().split_once('/').unwrap();
        *value = format!("5/{window}").into();
    }
    *limits = serde_json::from_value(settings.into()).unwrap();
}

on_both_databases!(every_limit_counts_a_burst_on_two_nodes_exactly);

// security: RL-6, RL-10, MN-5
async fn every_limit_counts_a_burst_on_two_nodes_exactly(db: Database) {
    let start = async || db.site_with(|c| limit_to_five(&mut c.limits)).await;
    let nodes = [start().await, start().await];
    for limit in LimitName::ALL.iter().copied() {
        let action = limit.of(example_of(limit.subject()));
        let mut admitted_in_a_row = 0;
        while is_admitted(&nodes[0], action, NOON).await {
            admitted_in_a_row += 1;
        }
        nodes[0].reset_limit(action).await;
        // A request reads its clock before it waits for the counter, so a later request can have an earlier time.
        let burst = (0..admitted_in_a_row + PARALLEL).map(|n| {
            let (node, since) = (&nodes[n % 2], i64::try_from(n).unwrap() * 37 % 1_000);
            is_admitted(node, action, NOON - since)
        });
        let admitted: Vec<bool> = iter(burst).buffer_unordered(PARALLEL).collect().await;
        let count = admitted.iter().filter(|is_admitted| **is_admitted).count();
        assert_eq!(count, admitted_in_a_row, "{action:?}");
    }
}
