//! Which words each letter is made of, in the order in which they are read.

use crate::words::Word;

/// The words of one letter. `{{brand}}` is filled in all of them, `{{lifetime}}` where
/// the letter has one; an empty line in a text begins a new paragraph.
pub(super) struct Script {
    pub(super) subject: Word,
    /// What a mailbox shows beside the subject.
    pub(super) preheader: Word,
    pub(super) title: Word,
    pub(super) body: Word,
    pub(super) button: Option<Word>,
    /// In a quieter voice, below the button.
    pub(super) note: Option<Word>,
    /// A sentence that ends in the second link.
    pub(super) second: Option<Word>,
    /// Why the reader got this mail.
    pub(super) reason: Word,
}

pub(super) const VERIFY_EMAIL: Script = Script {
    subject: Word::MailVerifyEmailSubject,
    preheader: Word::MailVerifyEmailPreheader,
    title: Word::MailVerifyEmailTitle,
    body: Word::MailVerifyEmailBody,
    button: Some(Word::MailVerifyEmailButton),
    note: Some(Word::MailVerifyEmailNote),
    second: None,
    reason: Word::MailVerifyEmailReason,
};

pub(super) const APPROVE_DEVICE: Script = Script {
    subject: Word::MailApproveDeviceSubject,
    preheader: Word::MailApproveDevicePreheader,
    title: Word::MailApproveDeviceTitle,
    body: Word::MailApproveDeviceBody,
    button: Some(Word::MailApproveDeviceButton),
    note: Some(Word::MailApproveDeviceNote),
    second: None,
    reason: Word::MailApproveDeviceReason,
};

pub(super) const NEW_DEVICE_NOTICE: Script = Script {
    subject: Word::MailNewDeviceNoticeSubject,
    preheader: Word::MailNewDeviceNoticePreheader,
    title: Word::MailNewDeviceNoticeTitle,
    body: Word::MailNewDeviceNoticeBody,
    button: None,
    note: None,
    second: Some(Word::MailNewDeviceNoticeSecond),
    reason: Word::MailNewDeviceNoticeReason,
};

pub(super) const RESET_PASSWORD: Script = Script {
    subject: Word::MailResetPasswordSubject,
    preheader: Word::MailResetPasswordPreheader,
    title: Word::MailResetPasswordTitle,
    body: Word::MailResetPasswordBody,
    button: Some(Word::MailResetPasswordButton),
    note: Some(Word::MailResetPasswordNote),
    second: None,
    reason: Word::MailResetPasswordReason,
};

pub(super) const PASSWORD_RESET_DONE: Script = Script {
    subject: Word::MailPasswordResetDoneSubject,
    preheader: Word::MailPasswordResetDonePreheader,
    title: Word::MailPasswordResetDoneTitle,
    body: Word::MailPasswordResetDoneBody,
    button: None,
    note: None,
    second: Some(Word::MailPasswordResetDoneSecond),
    reason: Word::MailPasswordResetDoneReason,
};

pub(super) const PASSWORD_CHANGED: Script = Script {
    subject: Word::MailPasswordChangedSubject,
    preheader: Word::MailPasswordChangedPreheader,
    title: Word::MailPasswordChangedTitle,
    body: Word::MailPasswordChangedBody,
    button: None,
    note: None,
    second: Some(Word::MailPasswordChangedSecond),
    reason: Word::MailPasswordChangedReason,
};

pub(super) const MIGRATED_AT_SIGN_IN: Script = Script {
    subject: Word::MailMigratedAtSignInSubject,
    preheader: Word::MailMigratedAtSignInPreheader,
    title: Word::MailMigratedAtSignInTitle,
    body: Word::MailMigratedAtSignInBody,
    button: None,
    note: None,
    second: Some(Word::MailMigratedAtSignInSecond),
    reason: Word::MailMigratedAtSignInReason,
};

pub(super) const CONFIRM_NEW_EMAIL: Script = Script {
    subject: Word::MailConfirmNewEmailSubject,
    preheader: Word::MailConfirmNewEmailPreheader,
    title: Word::MailConfirmNewEmailTitle,
    body: Word::MailConfirmNewEmailBody,
    button: Some(Word::MailConfirmNewEmailButton),
    note: Some(Word::MailConfirmNewEmailNote),
    second: None,
    reason: Word::MailConfirmNewEmailReason,
};

pub(super) const EMAIL_CHANGED: Script = Script {
    subject: Word::MailEmailChangedSubject,
    preheader: Word::MailEmailChangedPreheader,
    title: Word::MailEmailChangedTitle,
    body: Word::MailEmailChangedBody,
    button: Some(Word::MailEmailChangedButton),
    note: Some(Word::MailEmailChangedNote),
    second: None,
    reason: Word::MailEmailChangedReason,
};

pub(super) const EMAIL_ADDRESS_TAKEN: Script = Script {
    subject: Word::MailEmailAddressTakenSubject,
    preheader: Word::MailEmailAddressTakenPreheader,
    title: Word::MailEmailAddressTakenTitle,
    body: Word::MailEmailAddressTakenBody,
    button: None,
    note: None,
    second: Some(Word::MailEmailAddressTakenSecond),
    reason: Word::MailEmailAddressTakenReason,
};

pub(super) const ACCOUNT_EXISTS: Script = Script {
    subject: Word::MailAccountExistsSubject,
    preheader: Word::MailAccountExistsPreheader,
    title: Word::MailAccountExistsTitle,
    body: Word::MailAccountExistsBody,
    button: Some(Word::MailAccountExistsButton),
    note: Some(Word::MailAccountExistsNote),
    second: Some(Word::MailAccountExistsSecond),
    reason: Word::MailAccountExistsReason,
};

pub(super) const WAITS_IN_OLD_SYSTEM: Script = Script {
    subject: Word::MailWaitsInOldSystemSubject,
    preheader: Word::MailWaitsInOldSystemPreheader,
    title: Word::MailWaitsInOldSystemTitle,
    body: Word::MailWaitsInOldSystemBody,
    button: Some(Word::MailWaitsInOldSystemButton),
    note: Some(Word::MailWaitsInOldSystemNote),
    second: None,
    reason: Word::MailWaitsInOldSystemReason,
};

pub(super) const MIGRATE: Script = Script {
    subject: Word::MailMigrateSubject,
    preheader: Word::MailMigratePreheader,
    title: Word::MailMigrateTitle,
    body: Word::MailMigrateBody,
    button: Some(Word::MailMigrateButton),
    note: Some(Word::MailMigrateNote),
    second: None,
    reason: Word::MailMigrateReason,
};

pub(super) const COMPLETE_MIGRATION: Script = Script {
    subject: Word::MailCompleteMigrationSubject,
    preheader: Word::MailCompleteMigrationPreheader,
    title: Word::MailCompleteMigrationTitle,
    body: Word::MailCompleteMigrationBody,
    button: Some(Word::MailCompleteMigrationButton),
    note: Some(Word::MailCompleteMigrationNote),
    second: None,
    reason: Word::MailCompleteMigrationReason,
};

pub(super) const INVITATION: Script = Script {
    subject: Word::MailInvitationSubject,
    preheader: Word::MailInvitationPreheader,
    title: Word::MailInvitationTitle,
    body: Word::MailInvitationBody,
    button: Some(Word::MailInvitationButton),
    note: None,
    second: Some(Word::MailInvitationSecond),
    reason: Word::MailInvitationReason,
};

pub(super) const EMAIL_RESTORED: Script = Script {
    subject: Word::MailEmailRestoredSubject,
    preheader: Word::MailEmailRestoredPreheader,
    title: Word::MailEmailRestoredTitle,
    body: Word::MailEmailRestoredBody,
    button: Some(Word::MailEmailRestoredButton),
    note: None,
    second: None,
    reason: Word::MailEmailRestoredReason,
};

pub(super) const EMAIL_REMOVED: Script = Script {
    subject: Word::MailEmailRemovedSubject,
    preheader: Word::MailEmailRemovedPreheader,
    title: Word::MailEmailRemovedTitle,
    body: Word::MailEmailRemovedBody,
    button: None,
    note: None,
    second: None,
    reason: Word::MailEmailRemovedReason,
};
