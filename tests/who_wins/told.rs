//! Who is told: a mailbox with a live undo link gets a mail about each change of the ways to enter and about each act
//! that waits. Its newest link takes the account back.

use axum::http::Method;

use super::Link::CredentialUndo;
use super::Mailbox::{T, V};
use super::Party::{Owner, Thief};
use super::Step::{self, *};
use super::play::{EXPORTS, MAKES_RECOVERY_CODES, Play, REQUESTS_DELETION, REQUESTS_FACTOR_RESET};
use crate::support::Database;

/// The steps of the thief after the change of the address, and the number of mails to the former mailbox.
#[rustfmt::skip]
const ROWS: &[(&[Step], usize)] = &[
    (&[AddsPasskey(Thief)], 1),
    (&[TurnsAppOn(Thief)], 1),
    (&[TurnsAppOn(Thief), MAKES_RECOVERY_CODES], 2),
    (&[TurnsAppOn(Thief), Calls(Thief, Method::DELETE, "/second-factor", 204)], 2),
    (&[ChangesPassword(Thief)], 1),
    (&[Resets(Thief, T)], 1),
    (&[REQUESTS_DELETION, Days(13)], 2),
    (&[AddsPasskey(Thief), REQUESTS_FACTOR_RESET, Days(8)], 4),
    (&[EXPORTS, SignsInElsewhere(Thief, T)], 0),
];

on_both_databases!(a_former_mailbox_is_told_while_its_undo_link_lives);
// security: TF-7, MD-3
async fn a_former_mailbox_is_told_while_its_undo_link_lives(db: Database) {
    db.allow_unread_mails();
    let nodes = [db.site().await, db.site().await];
    for (number, (steps, mails)) in ROWS.iter().enumerate() {
        let mut play = Play::begin(&nodes, &format!("{number}t")).await;
        for step in [StealsFreshCookie, Changes(Thief, T)] {
            play.step(&step).await;
        }
        let before = play.mails_to(V).await;
        for step in *steps {
            play.step(step).await;
        }
        assert_eq!(play.mails_to(V).await - before, *mails, "{steps:?}");
        if *mails > 0 {
            play.step(&Opens(Owner, V, CredentialUndo)).await;
            let (mailbox, _, thief) = play.end().await;
            assert_eq!((mailbox, &*thief), (Some(V), ""), "{steps:?}");
        }
    }
}
