//! The properties of a mail: one row of the table in `mail/mails.rs`.

use crate::i18n::MailTexts;
use crate::rate_limit::MailBudget;
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

/// One mail. Rows are written with [`notice`], [`requested_mail`] and [`bulk_mail`] and their methods.
pub(super) struct MailDefinition {
    /// Stored in the outbox, and the section of the texts under `mail` in `locales/`.
    pub(super) name: &'static str,
    pub(super) texts: &'static MailTexts,
    /// The mailbox's budget that the mail counts against; a mail without a budget is always sent.
    pub(super) budget: Option<MailBudget>,
    pub(super) priority: Priority,
    pub(super) button: Option<LinkTarget>,
    /// The link below the text.
    pub(super) second_link: Option<LinkTarget>,
    /// Shown in this order.
    pub(super) facts: &'static [Fact],
    /// Whether `subject_id` is a legacy account.
    pub(super) is_for_legacy_account: bool,
}

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A new token, on the page of its purpose.
    Token(Purpose),
    /// The path of a page.
    Page(&'static str),
    /// The path of a page that is opened with the recipient's address filled in.
    PrefilledPage(&'static str),
}

/// A labelled value in a mail. It comes from `MailDetails`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Device,
    Time,
    /// Masked, like r…@e….com: another person may read the old mailbox now.
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

/// Reports an action that only the owner or a thief can cause. It has no budget, because it must arrive however many
/// mails strangers have caused.
pub(super) const fn notice(name: &'static str) -> MailDefinition {
    row(name, None, Priority::Notice)
}

/// The recipient waits for the mail, and a stranger may have caused it.
pub(super) const fn requested_mail(name: &'static str, budget: MailBudget) -> MailDefinition {
    row(name, Some(budget), Priority::Awaited)
}

/// Sent once to many accounts by the operator.
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
        facts: &[],
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

    pub(super) const fn facts(mut self, facts: &'static [Fact]) -> MailDefinition {
        self.facts = facts;
        self
    }

    pub(super) const fn for_legacy_account(mut self) -> MailDefinition {
        self.is_for_legacy_account = true;
        self
    }
}
