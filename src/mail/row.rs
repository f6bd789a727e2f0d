//! The properties of a mail, which are one row of the table in `mail/mails.rs`.

use crate::i18n::MailTexts;
use crate::rate_limit::MailBudget;
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

/// The definition of one kind of mail, made by [`notice`], [`requested_mail`] or [`bulk_mail`].
pub(super) struct MailDefinition {
    /// The name of the mail in the outbox, and of its section under `mail` in `locales/`.
    pub(super) name: &'static str,
    pub(super) texts: &'static MailTexts,
    /// The rate limit of the mailbox that counts this mail, or `None` if the mail is always sent.
    pub(super) budget: Option<MailBudget>,
    pub(super) priority: Priority,
    pub(super) button: Option<LinkTarget>,
    /// The target of the link below the text.
    pub(super) second_link: Option<LinkTarget>,
    /// The details that the mail shows, in the displayed order.
    pub(super) details: &'static [ShownDetail],
    pub(super) sign_off: SignOff,
    /// Whether the mail goes to an email address that the account's owner has not confirmed with a link, so that the
    /// recipient may be a stranger. Such a mail does not show the username.
    pub(super) is_to_unconfirmed_address: bool,
    /// Whether the mail is about a legacy account.
    pub(super) is_for_legacy_account: bool,
}

/// The closing of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignOff {
    /// The closing of good and neutral news. A notice of a change is neutral, even if it says how to undo the change.
    Cheerful,
    /// The closing of bad news: the person has lost or may lose the account, a strong factor or a role, or the program
    /// has stopped an attack.
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// The link contains a new token and leads to the page of the token's purpose.
    Token(Purpose),
    /// The link leads to the page with this path.
    Page(&'static str),
    /// The link leads to the page with this path and fills in the recipient's email address.
    PrefilledPage(&'static str),
}

/// A value of `MailDetails` that the mail shows with a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownDetail {
    Device,
    Time,
    /// The new email address, masked like r…@e….com, because another person may read the old mailbox now.
    NewAddress,
    /// The number of unused recovery codes.
    CodesLeft,
    /// The time when two-step verification is turned off, unless the reset is cancelled before.
    EffectiveAt,
    /// The time when the account is deleted unless the deletion is cancelled.
    DeletionAt,
    /// The names of the changed account details, without their values.
    ChangedDetails,
}

/// Returns a mail about an action that only the owner or an attacker with the owner's session can cause. The mail has
/// no rate limit, because strangers could otherwise use up the limit and suppress the mail.
pub(super) const fn notice(name: &'static str, sign_off: SignOff) -> MailDefinition {
    row(name, None, Priority::Notice, sign_off)
}

/// Returns a mail that its recipient waits for. A stranger may have requested it, so it has a rate limit.
pub(super) const fn requested_mail(
    name: &'static str,
    budget: MailBudget,
    sign_off: SignOff,
) -> MailDefinition {
    row(name, Some(budget), Priority::Awaited, sign_off)
}

/// Returns a mail to many accounts, which is sent after all other mails.
pub(super) const fn bulk_mail(name: &'static str, sign_off: SignOff) -> MailDefinition {
    row(name, None, Priority::Bulk, sign_off)
}

const fn row(
    name: &'static str,
    budget: Option<MailBudget>,
    priority: Priority,
    sign_off: SignOff,
) -> MailDefinition {
    MailDefinition {
        name,
        texts: MailTexts::of(name),
        budget,
        priority,
        button: None,
        second_link: None,
        details: &[],
        sign_off,
        is_to_unconfirmed_address: false,
        is_for_legacy_account: false,
    }
}

impl MailDefinition {
    pub(super) const fn button(mut self, link: LinkTarget) -> MailDefinition {
        self.button = Some(link);
        self
    }

    pub(super) const fn second_link(mut self, link: LinkTarget) -> MailDefinition {
        self.second_link = Some(link);
        self
    }

    pub(super) const fn details(mut self, details: &'static [ShownDetail]) -> MailDefinition {
        self.details = details;
        self
    }

    pub(super) const fn for_unconfirmed_address(mut self) -> MailDefinition {
        self.is_to_unconfirmed_address = true;
        self
    }

    pub(super) const fn for_legacy_account(mut self) -> MailDefinition {
        self.is_for_legacy_account = true;
        self
    }
}
