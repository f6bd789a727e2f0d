//! Every mail the product sends, as one enum: what it carries here, what it says in `script`, how
//! it looks in `templates/mail`. No free text that a stranger chose ever stands in a letter: a
//! mailbox that is not proved yet must not become a billboard.

mod datetime;
mod lifetime;
mod phrase;
mod view;
mod words;
mod wrap;

pub use lifetime::Lifetime;

use crate::config::Accent;
use crate::i18n::Language;
use jiff::Zoned;
use view::MailView;
use words::MailWords;

/// One mail and what it carries. Links are absolute and start with the public URL; times are in
/// the zone of the reader's region.
#[derive(Clone, Debug)]
pub enum MailTemplate<'a> {
    /// After joining: proves the address.
    VerifyEmail { link: &'a str, lifetime: Lifetime },
    /// Somebody with the right password signs in from an unknown device.
    ApproveDevice {
        link: &'a str,
        lifetime: Lifetime,
        device: &'a str,
        time: &'a Zoned,
    },
    /// An unknown device was let in without being asked for (`security.new_device = "notify"`).
    NewDeviceNotice {
        device: &'a str,
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// Asked for on the reset screen.
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
    /// After an account of the old site moved over at a sign-in (`security.legacy_sign_in = "silent"`).
    MigratedAtSignIn {
        time: &'a Zoned,
        reset_link: &'a str,
    },
    /// To the new address: proves it.
    ConfirmNewEmail { link: &'a str, lifetime: Lifetime },
    /// To the old address once the new one is confirmed. The new address is shown masked,
    /// like r…@e….com: the old mailbox may have another reader by now.
    EmailChanged {
        undo_link: &'a str,
        lifetime: Lifetime,
        new_address: &'a str,
    },
    /// Profile `strict`, to the owner of an address that another account wanted to change to.
    /// `reset_link` is the plain address of a page, without a token.
    EmailAddressTaken { reset_link: &'a str },
    /// Profile `strict`, to the owner of an address that was used to join again. Both links are
    /// plain addresses of pages.
    AccountExists {
        sign_in_link: &'a str,
        reset_link: &'a str,
    },
    /// Profile `strict`, to the owner of an account that has not moved over yet.
    LegacyAccountExists { migration_link: &'a str },
    /// Asked for on the migration screen; nothing but a password is missing.
    Migrate { link: &'a str, lifetime: Lifetime },
    /// Asked for on the migration screen; the old account lacks details.
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
    /// To the address that loses the account by that undo. It has no link: this mailbox has no say any more.
    EmailRemoved { time: &'a Zoned },
}

/// The sender as the reader's region knows it.
#[derive(Clone, Copy, Debug)]
pub struct SenderBrand<'a> {
    pub name: &'a str,
    pub accent: Accent,
    /// Absolute address of the sign-in page.
    pub home: &'a str,
    /// Absolute address of the region's contact page.
    pub contact: Option<&'a str>,
}

/// A finished mail, less its sender and addressee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenderedMail {
    /// One line.
    pub subject: String,
    /// Plain text in lines of at most 70 characters, links apart.
    pub text: String,
    /// A whole document with everything inside: it loads nothing.
    pub html: String,
}

impl MailTemplate<'_> {
    /// The finished mail in the language of the account.
    pub fn render(&self, language: Language, brand: &SenderBrand<'_>) -> RenderedMail {
        let view = MailView::write(self, language, brand);
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

    /// Where the button leads; the script has its label.
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

    /// The way out that stands below, as a sentence with a link.
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
