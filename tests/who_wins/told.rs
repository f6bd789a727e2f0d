//! Who is told: a mailbox with a live undo link gets a mail about each change of the ways to enter and about each act
//! that waits. Its newest link takes the account back.

use super::Link::CredentialUndo;
use super::Mailbox::{T, V};
use super::Party::{Owner, Thief};
use super::Step::{self, *};
use super::play::{EXPORTS, MAKES_RECOVERY_CODES, Play, REQUESTS_DELETION, REQUESTS_FACTOR_RESET};
use crate::support::prelude::*;

const LOST: &str = "will lose its extra protection";

/// The steps of the thief after the change of the address, and words of each mail to the former mailbox.
#[rustfmt::skip]
const ROWS: &[(&[Step], &[&str])] = &[
    (&[AddsPasskey(Thief)], &["A passkey was added"]),
    (&[TurnsAppOn(Thief)], &["verification was turned on"]),
    (&[TurnsAppOn(Thief), MAKES_RECOVERY_CODES], &["was turned on", "New recovery codes were made"]),
    (&[TurnsAppOn(Thief), Calls(Thief, Method::DELETE, "/second-factor", 204)], &["was turned on", "was turned off"]),
    (&[ChangesPassword(Thief)], &["The password was changed"]),
    (&[Resets(Thief, T)], &["The password was reset"]),
    (&[REQUESTS_DELETION, Days(13)], &["will be deleted", "deleted"]),
    (&[AddsPasskey(Thief), REQUESTS_FACTOR_RESET, Days(8)], &["A passkey was added", LOST, LOST, LOST]),
    (&[EXPORTS, SignsInElsewhere(Thief, T)], &[]),
    // The undo link has expired.
    (&[Days(4), Calls(Thief, Method::GET, "/users/me", 200), Days(3), ChangesPassword(Thief)], &[]),
];

on_both_databases!(a_former_mailbox_is_told_while_its_undo_link_lives);
// security: TF-7, MD-3, WA-7
async fn a_former_mailbox_is_told_while_its_undo_link_lives(db: Database) {
    db.allow_unread_mails();
    let nodes = [db.site().await, db.site().await];
    for (number, (steps, words)) in ROWS.iter().enumerate() {
        let mut play = Play::begin(&nodes, &format!("{number}t")).await;
        for step in [StealsFreshCookie, Changes(Thief, T)] {
            play.step(&step).await;
        }
        let before = play.texts_to(V).await.len();
        for step in *steps {
            play.step(step).await;
        }
        let told = play.texts_to(V).await.split_off(before);
        // A former mailbox is not greeted by the username.
        let is_right =
            |(text, words): (&String, &&str)| text.contains(words) && text.contains("Hi there,");
        let are_right = told.len() == words.len() && told.iter().zip(*words).all(is_right);
        assert!(are_right, "{steps:?}: {told:#?}");
        if !told.is_empty() {
            play.step(&Opens(Owner, V, CredentialUndo)).await;
            let (mailbox, _, thief) = play.end().await;
            assert_eq!((mailbox, &*thief), (Some(V), ""), "{steps:?}");
        }
    }
}
