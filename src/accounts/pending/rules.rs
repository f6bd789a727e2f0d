//! The rules of each act that waits: who is told, and what stops it.

use crate::domain::security_event::SecurityEvent;
use crate::mail::MailKind;
use crate::store::pending_acts::Act;

pub(super) struct ActRules {
    /// The causes that stop the act, besides its own link and a request to stop it.
    pub stopped_by: &'static [Cause],
    pub notices: &'static [Notice],
    /// The event that the beginning of the act records.
    pub requested: Option<SecurityEvent>,
    /// The event that the end of the act without effect records.
    pub stopped: Option<SecurityEvent>,
    pub stopped_mail: Option<MailKind>,
}

/// A mail about an act that waits.
pub(super) struct Notice {
    pub kind: MailKind,
    /// The mail to each former mailbox with an undo link, whose link stops the act and takes the account back.
    pub holders: Option<MailKind>,
    pub at: Share,
}

/// The part of the wait after which a notice is sent, as numerator and denominator.
#[derive(Clone, Copy)]
pub(super) struct Share(pub i64, pub i64);

/// What stops an act that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A change was undone, by an undo link or by an operator.
    Undo,
    SignIn,
    /// A passkey, a code of the authenticator app or a recovery code was used.
    StrongProof,
    /// The account has lost its last passkey or authenticator app.
    NoStrongFactor,
    /// A new password, a new email address, a refused device, a disabled account, or a requested deletion.
    AccessRevoked,
    EmailChanged,
    /// The owner has refused a device or disowned a sign-in.
    DeviceRefused,
    SignedOutEverywhere,
    /// `lifetimes.inactive_account` is off.
    SettingOff,
}

const fn notice(kind: MailKind, holders: MailKind, part: i64, whole: i64) -> Notice {
    Notice {
        kind,
        holders: Some(holders),
        at: Share(part, whole),
    }
}

const DELETION_NOTICES: &[Notice] = &[
    notice(
        MailKind::DeletionRequested,
        MailKind::DeletionOfFormerAddress,
        0,
        1,
    ),
    notice(
        MailKind::DeletionReminder,
        MailKind::DeletionOfFormerAddressReminder,
        6,
        7,
    ),
];
const FACTOR_RESET_NOTICES: &[Notice] = &[
    notice(
        MailKind::SecondFactorResetRequested,
        MailKind::SecondFactorResetOfFormerAddress,
        0,
        1,
    ),
    notice(
        MailKind::SecondFactorResetReminder,
        MailKind::SecondFactorResetOfFormerAddress,
        3,
        7,
    ),
    notice(
        MailKind::SecondFactorResetReady,
        MailKind::SecondFactorResetOfFormerAddress,
        1,
        1,
    ),
];
/// The notices are sent 60, 30 and 7 of 60 days before the deletion.
const INACTIVITY_NOTICES: &[Notice] = &[
    notice(
        MailKind::InactiveAccount,
        MailKind::InactivityOfFormerAddress,
        0,
        60,
    ),
    notice(
        MailKind::InactiveAccount,
        MailKind::InactivityOfFormerAddress,
        30,
        60,
    ),
    notice(
        MailKind::InactiveAccount,
        MailKind::InactivityOfFormerAddress,
        53,
        60,
    ),
];

/// Returns the rules of an act.
pub(super) fn rules(act: Act) -> ActRules {
    match act {
        // The mail with the link to the new address is queued by the request.
        Act::EmailChange => ActRules {
            stopped_by: &[
                Cause::Undo,
                Cause::AccessRevoked,
                Cause::EmailChanged,
                Cause::DeviceRefused,
                Cause::SignedOutEverywhere,
            ],
            notices: &[],
            requested: Some(SecurityEvent::EmailChangeRequested),
            stopped: None,
            stopped_mail: None,
        },
        Act::Deletion => ActRules {
            stopped_by: &[Cause::Undo],
            notices: DELETION_NOTICES,
            requested: Some(SecurityEvent::DeletionRequested),
            stopped: Some(SecurityEvent::DeletionCancelled),
            stopped_mail: Some(MailKind::DeletionCancelled),
        },
        Act::FactorReset => ActRules {
            stopped_by: &[
                Cause::Undo,
                Cause::StrongProof,
                Cause::NoStrongFactor,
                Cause::EmailChanged,
                Cause::DeviceRefused,
            ],
            notices: FACTOR_RESET_NOTICES,
            requested: Some(SecurityEvent::SecondFactorResetRequested),
            stopped: Some(SecurityEvent::SecondFactorResetCancelled),
            stopped_mail: None,
        },
        Act::Inactivity => ActRules {
            stopped_by: &[Cause::Undo, Cause::SignIn, Cause::SettingOff],
            notices: INACTIVITY_NOTICES,
            requested: None,
            stopped: None,
            stopped_mail: None,
        },
    }
}
