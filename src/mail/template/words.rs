//! The messages of each mail, in reading order.

use crate::i18n::Message;

/// The messages of one mail. `{{brand}}` is available in all of them, `{{lifetime}}` if the mail has
/// one. An empty line begins a new paragraph.
pub(super) struct MailWords {
    pub(super) subject: Message,
    /// Shown by mailboxes beside the subject.
    pub(super) preheader: Message,
    pub(super) title: Message,
    pub(super) body: Message,
    pub(super) button: Option<Message>,
    /// Smaller text below the button.
    pub(super) note: Option<Message>,
    /// A sentence that ends with the second link.
    pub(super) second: Option<Message>,
    /// The reason why the reader gets this mail.
    pub(super) reason: Message,
}

pub(super) const VERIFY_EMAIL: MailWords = MailWords {
    subject: Message::MailVerifyEmailSubject,
    preheader: Message::MailVerifyEmailPreheader,
    title: Message::MailVerifyEmailTitle,
    body: Message::MailVerifyEmailBody,
    button: Some(Message::MailVerifyEmailButton),
    note: Some(Message::MailVerifyEmailNote),
    second: None,
    reason: Message::MailVerifyEmailReason,
};

pub(super) const APPROVE_DEVICE: MailWords = MailWords {
    subject: Message::MailApproveDeviceSubject,
    preheader: Message::MailApproveDevicePreheader,
    title: Message::MailApproveDeviceTitle,
    body: Message::MailApproveDeviceBody,
    button: Some(Message::MailApproveDeviceButton),
    note: Some(Message::MailApproveDeviceNote),
    second: None,
    reason: Message::MailApproveDeviceReason,
};

pub(super) const NEW_DEVICE_NOTICE: MailWords = MailWords {
    subject: Message::MailNewDeviceNoticeSubject,
    preheader: Message::MailNewDeviceNoticePreheader,
    title: Message::MailNewDeviceNoticeTitle,
    body: Message::MailNewDeviceNoticeBody,
    button: None,
    note: None,
    second: Some(Message::MailNewDeviceNoticeSecond),
    reason: Message::MailNewDeviceNoticeReason,
};

pub(super) const RESET_PASSWORD: MailWords = MailWords {
    subject: Message::MailResetPasswordSubject,
    preheader: Message::MailResetPasswordPreheader,
    title: Message::MailResetPasswordTitle,
    body: Message::MailResetPasswordBody,
    button: Some(Message::MailResetPasswordButton),
    note: Some(Message::MailResetPasswordNote),
    second: None,
    reason: Message::MailResetPasswordReason,
};

pub(super) const PASSWORD_RESET_DONE: MailWords = MailWords {
    subject: Message::MailPasswordResetDoneSubject,
    preheader: Message::MailPasswordResetDonePreheader,
    title: Message::MailPasswordResetDoneTitle,
    body: Message::MailPasswordResetDoneBody,
    button: None,
    note: None,
    second: Some(Message::MailPasswordResetDoneSecond),
    reason: Message::MailPasswordResetDoneReason,
};

pub(super) const PASSWORD_CHANGED: MailWords = MailWords {
    subject: Message::MailPasswordChangedSubject,
    preheader: Message::MailPasswordChangedPreheader,
    title: Message::MailPasswordChangedTitle,
    body: Message::MailPasswordChangedBody,
    button: None,
    note: None,
    second: Some(Message::MailPasswordChangedSecond),
    reason: Message::MailPasswordChangedReason,
};

pub(super) const MIGRATED_AT_SIGN_IN: MailWords = MailWords {
    subject: Message::MailMigratedAtSignInSubject,
    preheader: Message::MailMigratedAtSignInPreheader,
    title: Message::MailMigratedAtSignInTitle,
    body: Message::MailMigratedAtSignInBody,
    button: None,
    note: None,
    second: Some(Message::MailMigratedAtSignInSecond),
    reason: Message::MailMigratedAtSignInReason,
};

pub(super) const CONFIRM_NEW_EMAIL: MailWords = MailWords {
    subject: Message::MailConfirmNewEmailSubject,
    preheader: Message::MailConfirmNewEmailPreheader,
    title: Message::MailConfirmNewEmailTitle,
    body: Message::MailConfirmNewEmailBody,
    button: Some(Message::MailConfirmNewEmailButton),
    note: Some(Message::MailConfirmNewEmailNote),
    second: None,
    reason: Message::MailConfirmNewEmailReason,
};

pub(super) const EMAIL_CHANGED: MailWords = MailWords {
    subject: Message::MailEmailChangedSubject,
    preheader: Message::MailEmailChangedPreheader,
    title: Message::MailEmailChangedTitle,
    body: Message::MailEmailChangedBody,
    button: Some(Message::MailEmailChangedButton),
    note: Some(Message::MailEmailChangedNote),
    second: None,
    reason: Message::MailEmailChangedReason,
};

pub(super) const EMAIL_ADDRESS_TAKEN: MailWords = MailWords {
    subject: Message::MailEmailAddressTakenSubject,
    preheader: Message::MailEmailAddressTakenPreheader,
    title: Message::MailEmailAddressTakenTitle,
    body: Message::MailEmailAddressTakenBody,
    button: None,
    note: None,
    second: Some(Message::MailEmailAddressTakenSecond),
    reason: Message::MailEmailAddressTakenReason,
};

pub(super) const ACCOUNT_EXISTS: MailWords = MailWords {
    subject: Message::MailAccountExistsSubject,
    preheader: Message::MailAccountExistsPreheader,
    title: Message::MailAccountExistsTitle,
    body: Message::MailAccountExistsBody,
    button: Some(Message::MailAccountExistsButton),
    note: Some(Message::MailAccountExistsNote),
    second: Some(Message::MailAccountExistsSecond),
    reason: Message::MailAccountExistsReason,
};

pub(super) const LEGACY_ACCOUNT_EXISTS: MailWords = MailWords {
    subject: Message::MailWaitsInOldSystemSubject,
    preheader: Message::MailWaitsInOldSystemPreheader,
    title: Message::MailWaitsInOldSystemTitle,
    body: Message::MailWaitsInOldSystemBody,
    button: Some(Message::MailWaitsInOldSystemButton),
    note: Some(Message::MailWaitsInOldSystemNote),
    second: None,
    reason: Message::MailWaitsInOldSystemReason,
};

pub(super) const MIGRATE: MailWords = MailWords {
    subject: Message::MailMigrateSubject,
    preheader: Message::MailMigratePreheader,
    title: Message::MailMigrateTitle,
    body: Message::MailMigrateBody,
    button: Some(Message::MailMigrateButton),
    note: Some(Message::MailMigrateNote),
    second: None,
    reason: Message::MailMigrateReason,
};

pub(super) const COMPLETE_MIGRATION: MailWords = MailWords {
    subject: Message::MailCompleteMigrationSubject,
    preheader: Message::MailCompleteMigrationPreheader,
    title: Message::MailCompleteMigrationTitle,
    body: Message::MailCompleteMigrationBody,
    button: Some(Message::MailCompleteMigrationButton),
    note: Some(Message::MailCompleteMigrationNote),
    second: None,
    reason: Message::MailCompleteMigrationReason,
};

pub(super) const INVITATION: MailWords = MailWords {
    subject: Message::MailInvitationSubject,
    preheader: Message::MailInvitationPreheader,
    title: Message::MailInvitationTitle,
    body: Message::MailInvitationBody,
    button: Some(Message::MailInvitationButton),
    note: None,
    second: Some(Message::MailInvitationSecond),
    reason: Message::MailInvitationReason,
};

pub(super) const EMAIL_RESTORED: MailWords = MailWords {
    subject: Message::MailEmailRestoredSubject,
    preheader: Message::MailEmailRestoredPreheader,
    title: Message::MailEmailRestoredTitle,
    body: Message::MailEmailRestoredBody,
    button: Some(Message::MailEmailRestoredButton),
    note: None,
    second: None,
    reason: Message::MailEmailRestoredReason,
};

pub(super) const EMAIL_REMOVED: MailWords = MailWords {
    subject: Message::MailEmailRemovedSubject,
    preheader: Message::MailEmailRemovedPreheader,
    title: Message::MailEmailRemovedTitle,
    body: Message::MailEmailRemovedBody,
    button: None,
    note: None,
    second: None,
    reason: Message::MailEmailRemovedReason,
};
