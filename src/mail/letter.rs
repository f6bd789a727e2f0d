//! Every mail the product sends, as one enum: what it carries here, what it says in `script`, how
//! it looks in `templates/mail`. No free text that a stranger chose ever stands in a letter: a
//! mailbox that is not proved yet must not become a billboard.

mod lifetime;
mod moment;
mod phrase;
mod script;
mod sheet;
mod wrap;

pub use lifetime::Lifetime;

use crate::config::Accent;
use crate::i18n::Language;
use jiff::Zoned;
use script::Script;
use sheet::Sheet;

/// One mail and what it carries. Links are absolute and start with the public URL; times are in
/// the zone of the reader's region.
#[derive(Clone, Debug)]
pub enum Letter<'a> {
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
    WaitsInOldSystem { migration_link: &'a str },
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
pub struct Brand<'a> {
    pub name: &'a str,
    pub accent: Accent,
    /// Absolute address of the sign-in page.
    pub home: &'a str,
    /// Absolute address of the region's contact page.
    pub contact: Option<&'a str>,
}

/// A finished mail, less its sender and addressee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// One line.
    pub subject: String,
    /// Plain text in lines of at most 70 characters, links apart.
    pub text: String,
    /// A whole document with everything inside: it loads nothing.
    pub html: String,
}

impl Letter<'_> {
    /// The finished mail in the language of the account.
    pub fn render(&self, language: Language, brand: &Brand<'_>) -> Rendered {
        let sheet = Sheet::write(self, language, brand);
        Rendered {
            subject: sheet.subject.clone(),
            text: sheet.text(),
            html: sheet.html(),
        }
    }

    fn script(&self) -> &'static Script {
        match self {
            Letter::VerifyEmail { .. } => &script::VERIFY_EMAIL,
            Letter::ApproveDevice { .. } => &script::APPROVE_DEVICE,
            Letter::NewDeviceNotice { .. } => &script::NEW_DEVICE_NOTICE,
            Letter::ResetPassword { .. } => &script::RESET_PASSWORD,
            Letter::PasswordResetDone { .. } => &script::PASSWORD_RESET_DONE,
            Letter::PasswordChanged { .. } => &script::PASSWORD_CHANGED,
            Letter::MigratedAtSignIn { .. } => &script::MIGRATED_AT_SIGN_IN,
            Letter::ConfirmNewEmail { .. } => &script::CONFIRM_NEW_EMAIL,
            Letter::EmailChanged { .. } => &script::EMAIL_CHANGED,
            Letter::EmailAddressTaken { .. } => &script::EMAIL_ADDRESS_TAKEN,
            Letter::AccountExists { .. } => &script::ACCOUNT_EXISTS,
            Letter::WaitsInOldSystem { .. } => &script::WAITS_IN_OLD_SYSTEM,
            Letter::Migrate { .. } => &script::MIGRATE,
            Letter::CompleteMigration { .. } => &script::COMPLETE_MIGRATION,
            Letter::Invitation { .. } => &script::INVITATION,
            Letter::EmailRestored { .. } => &script::EMAIL_RESTORED,
            Letter::EmailRemoved { .. } => &script::EMAIL_REMOVED,
        }
    }

    /// Where the button leads; the script has its label.
    fn main_link(&self) -> Option<&str> {
        match self {
            Letter::VerifyEmail { link, .. }
            | Letter::ApproveDevice { link, .. }
            | Letter::ResetPassword { link, .. }
            | Letter::ConfirmNewEmail { link, .. }
            | Letter::EmailChanged {
                undo_link: link, ..
            }
            | Letter::AccountExists {
                sign_in_link: link, ..
            }
            | Letter::WaitsInOldSystem {
                migration_link: link,
            }
            | Letter::Migrate { link, .. }
            | Letter::CompleteMigration { link, .. }
            | Letter::Invitation { link, .. }
            | Letter::EmailRestored {
                reset_link: link, ..
            } => Some(link),
            Letter::NewDeviceNotice { .. }
            | Letter::PasswordResetDone { .. }
            | Letter::PasswordChanged { .. }
            | Letter::MigratedAtSignIn { .. }
            | Letter::EmailAddressTaken { .. }
            | Letter::EmailRemoved { .. } => None,
        }
    }

    /// The way out that stands below, as a sentence with a link.
    fn second_link(&self) -> Option<&str> {
        match self {
            Letter::NewDeviceNotice { reset_link, .. }
            | Letter::PasswordResetDone { reset_link, .. }
            | Letter::PasswordChanged { reset_link, .. }
            | Letter::MigratedAtSignIn { reset_link, .. }
            | Letter::EmailAddressTaken { reset_link }
            | Letter::AccountExists { reset_link, .. } => Some(reset_link),
            Letter::Invitation {
                unsubscribe_link, ..
            } => Some(unsubscribe_link),
            _ => None,
        }
    }

    fn lifetime(&self) -> Option<Lifetime> {
        match self {
            Letter::VerifyEmail { lifetime, .. }
            | Letter::ApproveDevice { lifetime, .. }
            | Letter::ResetPassword { lifetime, .. }
            | Letter::ConfirmNewEmail { lifetime, .. }
            | Letter::EmailChanged { lifetime, .. }
            | Letter::Migrate { lifetime, .. }
            | Letter::CompleteMigration { lifetime, .. } => Some(*lifetime),
            _ => None,
        }
    }

    fn new_address(&self) -> Option<&str> {
        match self {
            Letter::EmailChanged { new_address, .. } => Some(new_address),
            _ => None,
        }
    }

    fn device(&self) -> Option<&str> {
        match self {
            Letter::ApproveDevice { device, .. } | Letter::NewDeviceNotice { device, .. } => {
                Some(device)
            }
            _ => None,
        }
    }

    fn time(&self) -> Option<&Zoned> {
        match self {
            Letter::ApproveDevice { time, .. }
            | Letter::NewDeviceNotice { time, .. }
            | Letter::PasswordResetDone { time, .. }
            | Letter::PasswordChanged { time, .. }
            | Letter::MigratedAtSignIn { time, .. }
            | Letter::EmailRestored { time, .. }
            | Letter::EmailRemoved { time } => Some(time),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
