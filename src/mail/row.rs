//! The properties of a mail, which are one row of the table in `mail/mails.rs`.

use crate::domain::way_in_change::WayInChange;
use crate::i18n::MailTexts;
use crate::rate_limit::{LimitName, MailBudget};
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

/// The definition of one kind of mail, made by [`notice`], [`requested_mail`] or [`bulk_mail`].
pub(super) struct MailDefinition {
    /// The name of the mail in the outbox, and of its section under `mail` in `locales/`.
    pub(super) name: &'static str,
    pub(super) texts: &'static MailTexts,
    /// What bounds the number of these mails.
    pub(super) bound: Bound,
    pub(super) priority: Priority,
    pub(super) button: Option<LinkTarget>,
    /// The target of the link below the text.
    pub(super) second_link: Option<LinkTarget>,
    /// The details that the mail shows, in the displayed order.
    pub(super) details: &'static [ShownDetail],
    pub(super) sign_off: SignOff,
    pub(super) audience: Audience,
    /// Whether the mail goes to an email address that the account's owner has not confirmed with a link, so that the
    /// recipient may be a stranger. Such a mail does not show the username.
    pub(super) is_to_unconfirmed_address: bool,
    /// Whether the mail is about a legacy account.
    pub(super) is_for_legacy_account: bool,
}

/// What bounds the number of mails of one kind to one mailbox. Only a budget suppresses a mail; the other bounds are
/// those of the act that the mail reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The rate limit of the mailbox that counts this mail.
    Budget(MailBudget),
    /// The limit of the act that causes the mail. A cancellation or removal is bounded by what it ends.
    Action(LimitName),
    /// One mail for each redeemed link with this purpose, or for each account that migrates without a link.
    PerLink(Purpose),
    /// Each mail reports an act of an operator or of an agent, which the audit log contains.
    Audited,
    /// The fixed times of a job.
    Schedule,
}

/// The mailboxes that get a mail about an event of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    Account,
    /// Each former mailbox with a valid undo link is told too (`MailKind::WayInChangedOfFormerAddress`).
    AccountAndHolders(WayInChange),
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
    /// The sentence of the change of a way to sign in.
    WayIn,
}

/// Returns a mail about an action that only the owner or an attacker with the owner's session can cause. The mail has
/// no budget, because strangers could otherwise use up the budget and suppress the mail.
pub(super) const fn notice(name: &'static str, sign_off: SignOff, bound: Bound) -> MailDefinition {
    row(name, bound, Priority::Notice, sign_off)
}

/// Returns a mail that its recipient waits for. A stranger may have requested it, so it has a rate limit.
pub(super) const fn requested_mail(
    name: &'static str,
    budget: MailBudget,
    sign_off: SignOff,
) -> MailDefinition {
    row(name, Bound::Budget(budget), Priority::Awaited, sign_off)
}

/// Returns a mail from the operator to many accounts, which is sent after all other mails.
pub(super) const fn bulk_mail(name: &'static str, sign_off: SignOff) -> MailDefinition {
    row(name, Bound::Audited, Priority::Bulk, sign_off)
}

const fn row(
    name: &'static str,
    bound: Bound,
    priority: Priority,
    sign_off: SignOff,
) -> MailDefinition {
    MailDefinition {
        name,
        texts: MailTexts::of(name),
        bound,
        priority,
        button: None,
        second_link: None,
        details: &[],
        sign_off,
        audience: Audience::Account,
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

    pub(super) const fn told_to_holders(mut self, change: WayInChange) -> MailDefinition {
        self.audience = Audience::AccountAndHolders(change);
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
