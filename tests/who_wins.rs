//! Who has the account at the end: attacks and the owner's means, each as one row.
//!
//! The rule behind all rows: the older possession wins. Whoever holds an older mailbox or factor takes back everything
//! that came later, by one click, for as long as the undo link lives.

mod play;
mod races;
mod told;

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use play::{EXPORTS, MAKES_RECOVERY_CODES, Play, REQUESTS_DELETION, REQUESTS_FACTOR_RESET};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Party {
    Owner,
    Thief,
}

/// V and W are the owner's, T and T2 the thief's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mailbox {
    V,
    W,
    T,
    T2,
}

impl Mailbox {
    const ALL: [Mailbox; 4] = [Mailbox::V, Mailbox::W, Mailbox::T, Mailbox::T2];
}

#[derive(Debug, Clone, Copy)]
enum Link {
    EmailUndo,
    CredentialUndo,
    NewEmail,
    Reset,
    FactorReset,
    Restore,
    Device,
    Migration,
}

impl Link {
    const ALL: [Link; 8] = [
        Link::EmailUndo,
        Link::CredentialUndo,
        Link::NewEmail,
        Link::Reset,
        Link::FactorReset,
        Link::Restore,
        Link::Device,
        Link::Migration,
    ];

    fn page(self) -> &'static str {
        match self {
            Link::EmailUndo => "/account/change-email?undo=",
            Link::CredentialUndo => "/account/undo?",
            Link::NewEmail => "/account/change-email?verificationToken=",
            Link::Reset => "/account/reset-password?",
            Link::FactorReset => "/account/second-factor-reset?",
            Link::Restore => "/account/restore?",
            Link::Device => "/account/verify-email?",
            Link::Migration => "/account/migration?",
        }
    }
}

#[derive(Debug)]
enum Step {
    /// A passkey from long before, whose undo link is dead.
    HasOldPasskey(Party),
    /// A session whose proof is too old for a change of the ways to sign in.
    StealsIdleCookie,
    StealsFreshCookie,
    ProvesWithPasskey(Party),
    /// The thief reads this mailbox, too.
    Reads(Mailbox),
    /// The owner reads this mailbox no more.
    Loses(Mailbox),
    Changes(Party, Mailbox),
    CannotChange(Party, Mailbox),
    Resets(Party, Mailbox),
    AddsPasskey(Party),
    TurnsAppOn(Party),
    ChangesPassword(Party),
    /// A request without a body, and its status.
    Calls(Party, Method, &'static str, u16),
    /// Signs in with the password in a new browser, which needs an approval.
    TriesPassword(Party),
    RefusesDevice(Mailbox),
    /// Signs in with the password in a new browser, which this mailbox approves.
    SignsInElsewhere(Party, Mailbox),
    SpendsBudgets,
    Protects,
    UsesPasskey(Party),
    /// Opens the newest such link of the mailbox.
    Opens(Party, Mailbox, Link),
    OpensOldest(Party, Mailbox, Link),
    CannotOpen(Party, Mailbox, Link),
    AtOnce(&'static [Step]),
    All(&'static [Step]),
    /// The thief's second account asks for this mailbox as its own address, and the owner confirms it by mistake.
    SecondAccountAsksFor(Mailbox),
    SecondAccountOpens(Mailbox),
    DeletesDue,
    Waits(&'static str),
    OperatorSets(Mailbox),
    OperatorDisables,
    OperatorEnables,
    IsWaitingAccount,
    Days(u32),
}

use Link::{CredentialUndo, EmailUndo, FactorReset, Migration, NewEmail, Reset};
use Mailbox::{T, T2, V, W};
use Party::{Owner, Thief};
use Step::*;

use crate::support::prelude::*;

/// The mailbox that has the account at the end, the owner's ways to enter, and the thief's. The owner has won if the
/// thief has none.
type End = (Option<Mailbox>, &'static str, &'static str);

const TAKES_ADDRESS: Step = All(&[StealsIdleCookie, Changes(Thief, T)]);
/// An idle cookie is not enough where the account has a strong factor.
const TAKES_ADDRESS_DESPITE_PASSKEY: Step = All(&[
    HasOldPasskey(Owner),
    ProvesWithPasskey(Owner),
    StealsFreshCookie,
    Changes(Thief, T),
]);

const OWNER: End = (Some(V), "mailbox", "");
const OWNER_WITH_PASSKEY: End = (Some(V), "passkey mailbox", "");

#[rustfmt::skip]
const ROWS: &[(&str, &[Step], End)] = &[
    ("1", &[TAKES_ADDRESS, Opens(Owner, V, EmailUndo)], OWNER),
    ("2", &[TAKES_ADDRESS, Changes(Thief, T2), Resets(Thief, T2), EXPORTS,
        Opens(Owner, V, EmailUndo), CannotOpen(Thief, T, EmailUndo)], OWNER),
    // The thief refuses a device of the account, which ends every session and pending change but no undo link.
    ("2 refused device", &[TAKES_ADDRESS, Changes(Thief, T2), Resets(Thief, T2), TriesPassword(Thief), RefusesDevice(T2),
        Resets(Thief, T2), Opens(Owner, V, EmailUndo), CannotOpen(Thief, T, EmailUndo)], OWNER),
    ("3", &[TAKES_ADDRESS, Resets(Thief, T), REQUESTS_DELETION, Days(13),
        Opens(Owner, V, EmailUndo), Days(2)], OWNER),
    ("3 reminder", &[TAKES_ADDRESS, Resets(Thief, T), REQUESTS_DELETION, Days(13),
        Opens(Owner, V, CredentialUndo), Days(2)], OWNER),
    ("4 idle", &[HasOldPasskey(Owner), StealsIdleCookie, CannotChange(Thief, T), Resets(Owner, V)],
        OWNER_WITH_PASSKEY),
    ("4", &[TAKES_ADDRESS_DESPITE_PASSKEY, Resets(Thief, T), REQUESTS_FACTOR_RESET,
        Days(6), Opens(Owner, V, CredentialUndo), Days(2), CannotOpen(Thief, T, FactorReset)], OWNER_WITH_PASSKEY),
    ("4 late", &[TAKES_ADDRESS_DESPITE_PASSKEY, Resets(Thief, T), REQUESTS_FACTOR_RESET,
        Days(7), Opens(Thief, T, FactorReset), Resets(Thief, T), AddsPasskey(Thief), Days(13),
        Opens(Owner, V, EmailUndo)], OWNER),
    // The undo link of the address is as valid as the notices of the reset, until the reset ends.
    ("4 first notice", &[TAKES_ADDRESS_DESPITE_PASSKEY, Days(6), Resets(Thief, T), REQUESTS_FACTOR_RESET, Days(20),
        OpensOldest(Owner, V, CredentialUndo)], OWNER_WITH_PASSKEY),
    ("4 last notice", &[TAKES_ADDRESS_DESPITE_PASSKEY, Days(6), Resets(Thief, T), REQUESTS_FACTOR_RESET, Days(20),
        Opens(Owner, V, CredentialUndo)], OWNER_WITH_PASSKEY),
    ("4 over", &[TAKES_ADDRESS_DESPITE_PASSKEY, Resets(Thief, T), REQUESTS_FACTOR_RESET, Days(21),
        CannotOpen(Owner, V, EmailUndo)], (Some(T), "passkey", "mailbox")),
    // A notice does not prolong the power of a former mailbox.
    ("4 notice", &[TAKES_ADDRESS, Days(6), ChangesPassword(Thief), Days(1), CannotOpen(Owner, V, CredentialUndo)],
        (Some(T), "", "session mailbox")),
    ("5", &[TAKES_ADDRESS_DESPITE_PASSKEY, Days(8), Resets(Thief, T),
        REQUESTS_FACTOR_RESET, Days(3), UsesPasskey(Owner), Days(5), CannotOpen(Thief, T, FactorReset)],
        (Some(T), "passkey", "mailbox")),
    ("5 unused", &[TAKES_ADDRESS_DESPITE_PASSKEY, Days(8), Resets(Thief, T),
        REQUESTS_FACTOR_RESET, Days(7), Opens(Thief, T, FactorReset), Resets(Thief, T), AddsPasskey(Thief)],
        (Some(T), "", "session passkey mailbox")),
    ("5 operator", &[TAKES_ADDRESS_DESPITE_PASSKEY, Days(8), Resets(Thief, T),
        REQUESTS_FACTOR_RESET, Days(7), Opens(Thief, T, FactorReset), Resets(Thief, T), AddsPasskey(Thief),
        OperatorSets(V)], OWNER),
    ("6", &[TAKES_ADDRESS, SecondAccountAsksFor(V), SecondAccountOpens(V), Opens(Owner, V, EmailUndo)],
        (None, "", "")),
    ("6 later", &[TAKES_ADDRESS, SecondAccountAsksFor(V), SecondAccountOpens(V), Opens(Owner, V, EmailUndo), Days(6),
        SecondAccountAsksFor(W), SecondAccountOpens(W), Opens(Owner, V, Reset)], OWNER),
    ("7", &[TriesPassword(Thief), RefusesDevice(V)], OWNER),
    ("8", &[StealsFreshCookie, AddsPasskey(Thief), ProvesWithPasskey(Thief), Changes(Thief, T), Opens(Owner, V, EmailUndo)],
        (Some(V), "mailbox", "passkey")),
    ("8 both links", &[StealsFreshCookie, AddsPasskey(Thief), ProvesWithPasskey(Thief), Changes(Thief, T), Opens(Owner, V, EmailUndo),
        Opens(Owner, V, CredentialUndo)], OWNER),
    ("9 app", &[StealsFreshCookie, TurnsAppOn(Thief), ChangesPassword(Thief), Opens(Owner, V, CredentialUndo)], OWNER),
    ("9 codes", &[TurnsAppOn(Owner), StealsFreshCookie, MAKES_RECOVERY_CODES, Opens(Owner, V, CredentialUndo)], OWNER),
    ("10", &[Reads(V), Resets(Thief, V)], (Some(V), "mailbox", "session mailbox")),
    ("11", &[HasOldPasskey(Owner), Reads(V), Resets(Thief, V), REQUESTS_FACTOR_RESET, Days(3), UsesPasskey(Owner),
        Days(5), CannotOpen(Thief, V, FactorReset)], (Some(V), "passkey mailbox", "mailbox")),
    ("12", &[HasOldPasskey(Owner), Reads(V), ProvesWithPasskey(Owner), Changes(Owner, W), Days(6),
        Opens(Thief, V, EmailUndo)], (Some(V), "passkey mailbox", "mailbox")),
    ("12 later", &[HasOldPasskey(Owner), Reads(V), ProvesWithPasskey(Owner), Changes(Owner, W), Days(7),
        CannotOpen(Thief, V, EmailUndo)], (Some(W), "passkey mailbox", "")),
    ("13 asked", &[HasOldPasskey(Owner), OperatorSets(T), Days(2)], OWNER_WITH_PASSKEY),
    ("13", &[HasOldPasskey(Owner), OperatorSets(T), Opens(Thief, T, NewEmail), Resets(Thief, T), Days(6),
        UsesPasskey(Owner), Opens(Owner, V, EmailUndo)], OWNER_WITH_PASSKEY),
    ("14", &[Changes(Owner, W), Days(8), Loses(V), Reads(V), OperatorSets(V), CannotOpen(Owner, W, EmailUndo)],
        (Some(V), "", "mailbox")),
    ("14 operator", &[Changes(Owner, W), Days(8), Loses(V), Reads(V), OperatorSets(V), Resets(Thief, V), AddsPasskey(Thief),
        OperatorSets(W)], (Some(W), "mailbox", "")),
    ("15", &[StealsFreshCookie, Changes(Thief, T), Changes(Thief, T2), Resets(Thief, T2), AddsPasskey(Thief), Days(8),
        OperatorDisables, OperatorSets(V), OperatorEnables], OWNER),
    ("15 V is dead", &[StealsFreshCookie, Changes(Thief, T), Resets(Thief, T), AddsPasskey(Thief), Days(8),
        OperatorSets(V), OperatorSets(W), Opens(Owner, W, NewEmail)], (Some(W), "mailbox", "")),
    ("15 deletion", &[StealsFreshCookie, Changes(Thief, T), Resets(Thief, T), REQUESTS_DELETION, OperatorSets(V),
        Days(15)], OWNER),
    // A passkey of the 30 days before the change goes with it; the operator sees the date of an older one.
    ("16 new", &[StealsFreshCookie, AddsPasskey(Thief), ProvesWithPasskey(Thief), Changes(Thief, T), Days(8), OperatorSets(V)], OWNER),
    ("16", &[StealsFreshCookie, HasOldPasskey(Thief), ProvesWithPasskey(Thief), Changes(Thief, T), Days(8), OperatorSets(V)],
        (Some(V), "mailbox", "passkey")),
    ("17", &[TAKES_ADDRESS, Opens(Owner, V, EmailUndo), OperatorSets(T), Days(2)],
        OWNER),
    ("17 opened", &[TAKES_ADDRESS, Opens(Owner, V, EmailUndo), OperatorSets(T),
        Opens(Thief, T, NewEmail), Resets(Thief, T), Opens(Owner, V, EmailUndo)], OWNER),
    ("18", &[StealsIdleCookie, SignsInElsewhere(Owner, V), SpendsBudgets, Protects], OWNER),
    ("19", &[TAKES_ADDRESS, Changes(Thief, T2), Resets(Thief, T2), REQUESTS_DELETION,
        AtOnce(&[Opens(Thief, T, EmailUndo), Opens(Owner, V, EmailUndo), Opens(Owner, V, CredentialUndo)]), Days(15)], OWNER),
    ("20", &[IsWaitingAccount, OperatorSets(T), OperatorSets(V), CannotOpen(Thief, T, Migration)], OWNER),
];

on_both_databases!(the_older_possession_wins);
// security: SE-9, TK-5, WA-7
async fn the_older_possession_wins(db: Database) {
    db.allow_unread_mails();
    let nodes = [db.site().await, db.site().await];
    let mut wrong = Vec::new();
    for (number, (name, steps, expected)) in ROWS.iter().enumerate() {
        let result = AssertUnwindSafe(async {
            let mut play = Play::begin(&nodes, &number.to_string()).await;
            for step in *steps {
                play.step(step).await;
            }
            let (mailbox, owner, thief) = play.end().await;
            let end = (mailbox, &*owner, &*thief);
            if end == *expected && thief.is_empty() && owner.contains("mailbox") {
                play.assert_owner_enters().await;
            }
            (end != *expected).then(|| format!("{end:?}, not {expected:?}"))
        });
        match result.catch_unwind().await {
            Ok(problem) => wrong.extend(problem.map(|problem| format!("{name}: {problem}"))),
            Err(panic) => wrong.push(format!("{name}: {:?}", panic.downcast_ref::<String>())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
