//! All mails as one enum: the values that each needs here, its messages in `words`, its layout in
//! `templates/mail`. No free text that a stranger chose is ever part of a mail: an unverified mailbox
//! must not become a billboard.

mod datetime;
mod lifetime;
mod phrase;
mod view;
mod words;
mod wrap;

pub(crate) use lifetime::Lifetime;

use crate::config::Accent;
use crate::i18n::Language;
use jiff::Zoned;
use view::MailView;
use words::MailWords;

/// A mail and its values. Links are absolute and start with the public URL; times are in the time zone
/// of the reader's region.
#[derive(Clone, Debug)]
pub(crate) enum MailTemplate<'a> {
    /// After registration: verifies the address.
    VerifyEmail { link: &'a str, lifetime: Lifetime },
    /// After a sign-in with the right password from an unknown device.
    ApproveDevice {
        link: &'a str,
        lifetime: Lifetime,
        device: &'a str,
        time: &'a Zoned,
    },
    /// After a sign-in from an unknown device that needed no approval (`security.new_device =
    /// "notify"`).
    NewDeviceNotice {
        device: &'a str,
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// Requested on the reset screen.
    ResetPassword { link: &'a str, lifetime: Lifetime },
    /// After a reset by mail.
    PasswordResetDone {
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// After a change in the settings.
    PasswordChanged {
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// After a migration at sign-in (`security.legacy_sign_in = "silent"`).
    MigratedAtSignIn {
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// To the new address: verifies it.
    ConfirmNewEmail { link: &'a str, lifetime: Lifetime },
    /// To the old address once the new one is confirmed. The new address is shown masked, like
    /// r…@e….com: another person may read the old mailbox by now.
    EmailChanged {
        undo_link: &'a str,
        lifetime: Lifetime,
        new_address: &'a str,
    },
    /// Profile `strict`: to the owner of an address to which another account wanted to change.
    /// `reset_link` is the plain address of a page, without a token.
    EmailAddressTaken { reset_link: &'a str },
    /// Profile `strict`: to the owner of an address that was used to register again. Both links are
    /// plain addresses of pages.
    AccountExists {
        sign_in_link: &'a str,
        reset_link: &'a str,
    },
    /// Profile `strict`: to the owner of an account that is not migrated yet.
    LegacyAccountExists { migration_link: &'a str },
    /// Requested on the migration screen; only a password is missing.
    Migrate { link: &'a str, lifetime: Lifetime },
    /// Requested on the migration screen; the old account lacks details.
    CompleteMigration { link: &'a str, lifetime: Lifetime },
    /// Sent by the operator to accounts of the old site.
    Invitation {
        link: &'a str,
        unsubscribe_link: &'a str,
    },
    /// To the old address after its owner undid a change.
    EmailRestored {
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// To the address that loses the account by that undo. Without a link: this mailbox has no rights
    /// any more.
    EmailRemoved { time: &'a Zoned },
}

/// The branding of the reader's region in a mail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderBrand<'a> {
    pub name: &'a str,
    pub accent: Accent,
    /// The absolute address of the sign-in page.
    pub home: &'a str,
    /// The absolute address of the region's contact page.
    pub contact: Option<&'a str>,
}

/// A finished mail without its sender and recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RenderedMail {
    /// A single line.
    pub subject: String,
    /// Plain text in lines of at most 70 characters, except links.
    pub text: String,
    /// A whole document without external resources.
    pub html: String,
}

impl MailTemplate<'_> {
    /// Renders the mail in the language of the account.
    pub(crate) fn render(&self, language: Language, brand: &SenderBrand<'_>) -> RenderedMail {
        let view = MailView::new(self, language, brand);
        RenderedMail {
            subject: view.subject.clone(),
            text: view.text(),
            html: view.html(),
        }
    }

    fn words(&self) -> &'static MailWords {
        match self {
            MailTemplate::VerifyEmail { .. } => &words::VERIFY_EMAIL,
            MailTemplate::ApproveDevice { .. } => &words::APPROVE_DEVICE,
            MailTemplate::NewDeviceNotice { .. } => &words::NEW_DEVICE_NOTICE,
            MailTemplate::ResetPassword { .. } => &words::RESET_PASSWORD,
            MailTemplate::PasswordResetDone { .. } => &words::PASSWORD_RESET_DONE,
            MailTemplate::PasswordChanged { .. } => &words::PASSWORD_CHANGED,
            MailTemplate::MigratedAtSignIn { .. } => &words::MIGRATED_AT_SIGN_IN,
            MailTemplate::ConfirmNewEmail { .. } => &words::CONFIRM_NEW_EMAIL,
            MailTemplate::EmailChanged { .. } => &words::EMAIL_CHANGED,
            MailTemplate::EmailAddressTaken { .. } => &words::EMAIL_ADDRESS_TAKEN,
            MailTemplate::AccountExists { .. } => &words::ACCOUNT_EXISTS,
            MailTemplate::LegacyAccountExists { .. } => &words::LEGACY_ACCOUNT_EXISTS,
            MailTemplate::Migrate { .. } => &words::MIGRATE,
            MailTemplate::CompleteMigration { .. } => &words::COMPLETE_MIGRATION,
            MailTemplate::Invitation { .. } => &words::INVITATION,
            MailTemplate::EmailRestored { .. } => &words::EMAIL_RESTORED,
            MailTemplate::EmailRemoved { .. } => &words::EMAIL_REMOVED,
        }
    }

    /// The address of the button, whose label is in `words`.
    fn main_link(&self) -> Option<&str> {
        match self {
            MailTemplate::VerifyEmail { link, .. }
            | MailTemplate::ApproveDevice { link, .. }
            | MailTemplate::ResetPassword { link, .. }
            | MailTemplate::ConfirmNewEmail { link, .. }
            | MailTemplate::EmailChanged {
                undo_link: link, ..
            }
            | MailTemplate::AccountExists {
                sign_in_link: link, ..
            }
            | MailTemplate::LegacyAccountExists {
                migration_link: link,
            }
            | MailTemplate::Migrate { link, .. }
            | MailTemplate::CompleteMigration { link, .. }
            | MailTemplate::Invitation { link, .. }
            | MailTemplate::EmailRestored {
                reset_link: link, ..
            } => Some(link),
            MailTemplate::NewDeviceNotice { .. }
            | MailTemplate::PasswordResetDone { .. }
            | MailTemplate::PasswordChanged { .. }
            | MailTemplate::MigratedAtSignIn { .. }
            | MailTemplate::EmailAddressTaken { .. }
            | MailTemplate::EmailRemoved { .. } => None,
        }
    }

    /// The address of the second link, below the text.
    fn second_link(&self) -> Option<&str> {
        match self {
            MailTemplate::NewDeviceNotice { reset_link, .. }
            | MailTemplate::PasswordResetDone { reset_link, .. }
            | MailTemplate::PasswordChanged { reset_link, .. }
            | MailTemplate::MigratedAtSignIn { reset_link, .. }
            | MailTemplate::EmailAddressTaken { reset_link }
            | MailTemplate::AccountExists { reset_link, .. } => Some(reset_link),
            MailTemplate::Invitation {
                unsubscribe_link, ..
            } => Some(unsubscribe_link),
            _ => None,
        }
    }

    fn lifetime(&self) -> Option<Lifetime> {
        match self {
            MailTemplate::VerifyEmail { lifetime, .. }
            | MailTemplate::ApproveDevice { lifetime, .. }
            | MailTemplate::ResetPassword { lifetime, .. }
            | MailTemplate::ConfirmNewEmail { lifetime, .. }
            | MailTemplate::EmailChanged { lifetime, .. }
            | MailTemplate::Migrate { lifetime, .. }
            | MailTemplate::CompleteMigration { lifetime, .. } => Some(*lifetime),
            _ => None,
        }
    }

    fn new_address(&self) -> Option<&str> {
        match self {
            MailTemplate::EmailChanged { new_address, .. } => Some(new_address),
            _ => None,
        }
    }

    fn device(&self) -> Option<&str> {
        match self {
            MailTemplate::ApproveDevice { device, .. }
            | MailTemplate::NewDeviceNotice { device, .. } => Some(device),
            _ => None,
        }
    }

    fn time(&self) -> Option<&Zoned> {
        match self {
            MailTemplate::ApproveDevice { time, .. }
            | MailTemplate::NewDeviceNotice { time, .. }
            | MailTemplate::PasswordResetDone { time, .. }
            | MailTemplate::PasswordChanged { time, .. }
            | MailTemplate::MigratedAtSignIn { time, .. }
            | MailTemplate::EmailRestored { time, .. }
            | MailTemplate::EmailRemoved { time } => Some(time),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
