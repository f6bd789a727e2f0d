//! The properties of a mail: one row of the table in `mail/mails.rs`.

use crate::i18n::MailTexts;
use crate::rate_limit::MailBudget;
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

/// One mail. Rows are written with [`notice`], [`requested_mail`] and [`bulk_mail`] and their methods.
pub(super) struct MailDefinition {
    /// The name that the outbox stores. It is also the section of the messages under `mail` in `locales/`.
    pub(super) name: &'static str,
    pub(super) texts: &'static MailTexts,
    /// The mailbox's budget that the mail counts against; a mail without a budget is always sent.
    pub(super) budget: Option<MailBudget>,
    pub(super) priority: Priority,
    pub(super) button: Option<LinkTarget>,
    /// The link below the text.
    pub(super) second_link: Option<LinkTarget>,
    /// The details that the mail shows, in this order.
    pub(super) details: &'static [ShownDetail],
    /// Whether `subject_id` is a legacy account.
    pub(super) is_for_legacy_account: bool,
}

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A link with a new token, to the page of the token's purpose.
    Token(Purpose),
    /// The path of a page.
    Page(&'static str),
    /// The path of a page that is opened with the recipient's email address filled in.
    PrefilledPage(&'static str),
}

/// A labelled value in a mail, which comes from `MailDetails`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownDetail {
    Device,
    Time,
    /// The new email address, masked like r…@e….com, because another person may read the old mailbox now.
    NewAddress,
    /// The number of unused recovery codes.
    CodesLeft,
    /// The time at which two-step verification is turned off unless the reset is stopped.
    EffectiveAt,
    /// The time at which the account is deleted unless the deletion is cancelled.
    DeletionAt,
    /// The names of the changed details, without their values.
    ChangedDetails,
}

/// Returns a mail about an action that only the owner or a thief can cause. The mail has no budget, because it must
/// arrive however many mails strangers have caused.
pub(super) const fn notice(name: &'static str) -> MailDefinition {
    row(name, None, Priority::Notice)
}

/// Returns a mail that its recipient waits for, and that a stranger may have caused.
pub(super) const fn requested_mail(name: &'static str, budget: MailBudget) -> MailDefinition {
    row(name, Some(budget), Priority::Awaited)
}

/// Returns a mail that the operator sends once to many accounts.
pub(super) const fn bulk_mail(name: &'static str) -> MailDefinition {
    row(name, None, Priority::Bulk)
}

const fn row(name: &'static str, budget: Option<MailBudget>, priority: Priority) -> MailDefinition {
    MailDefinition {
        name,
        texts: MailTexts::of(name),
        budget,
        priority,
        button: None,
        second_link: None,
        details: &[],
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

    pub(super) const fn for_legacy_account(mut self) -> MailDefinition {
        self.is_for_legacy_account = true;
        self
    }
}
