//! Two parties at the same moment, on two nodes: whatever comes first, one end of the list, and nothing between.

use super::Link::{CredentialUndo, EmailUndo, FactorReset, NewEmail};
use super::Mailbox::{T, T2, V};
use super::Party::{Owner, Thief};
use super::Step::*;
use super::play::{Play, REQUESTS_DELETION, REQUESTS_FACTOR_RESET};
use super::{End, OWNER, OWNER_WITH_PASSKEY, Step, TAKES_ADDRESS, TAKES_ADDRESS_DESPITE_PASSKEY};
use crate::support::prelude::*;

const NOBODY: End = (None, "", "");

#[rustfmt::skip]
const RACES: &[(&[Step], &[Step], &[End])] = &[
    // The owner's link, the link of the thief's first mailbox, and the operator.
    (&[TAKES_ADDRESS, Changes(Thief, T2)],
        &[Opens(Thief, T, EmailUndo), OperatorSets(V), Opens(Owner, V, EmailUndo)], &[OWNER]),
    // The thief's address is asked for by the operator, and restored by the owner.
    (&[TAKES_ADDRESS, OperatorSets(T2)],
        &[Opens(Thief, T2, NewEmail), OperatorSets(V)], &[OWNER]),
    (&[TAKES_ADDRESS_DESPITE_PASSKEY, Resets(Thief, T),
        REQUESTS_FACTOR_RESET, Days(7)],
        &[Opens(Thief, T, FactorReset), Opens(Owner, V, EmailUndo)], &[OWNER, OWNER_WITH_PASSKEY]),
    // V is taken by another account at the moment of the undo.
    (&[TAKES_ADDRESS, SecondAccountAsksFor(V)],
        &[SecondAccountOpens(V), Opens(Owner, V, EmailUndo)], &[OWNER, NOBODY]),
    // The links of the reminders live longer than the account.
    (&[TAKES_ADDRESS, Changes(Thief, T2), Resets(Thief, T2), REQUESTS_DELETION, Days(13),
        Waits("1d")],
        &[Opens(Thief, T, CredentialUndo), DeletesDue, Opens(Owner, V, CredentialUndo)], &[OWNER, NOBODY]),
];

on_postgres!(two_parties_at_once_leave_one_owner);
// security: MN-4
async fn two_parties_at_once_leave_one_owner(db: Database) {
    db.allow_unread_mails();
    let nodes = [db.site().await, db.site().await];
    for (number, (before, at_once, ends)) in RACES.iter().enumerate() {
        for round in 0..4 {
            let mut play = Play::begin(&nodes, &format!("{number}r{round}")).await;
            for step in *before {
                play.step(step).await;
            }
            // The thief's second account gets the same order of steps as everybody else.
            play.at_once(at_once, round).await;
            let end = play.end().await;
            let end = (end.0, &*end.1, &*end.2);
            assert!(ends.contains(&end), "race {number}: {end:?}");
        }
    }
}
