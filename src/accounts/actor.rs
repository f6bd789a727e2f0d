//! Who causes a change: the owner of the account, support or the program itself.

use crate::accounts::client::Client;
use crate::store::support_audit::AuditReceipt;

/// The actor who causes a change and its security events.
#[derive(Clone, Copy)]
pub(crate) enum Actor<'a> {
    /// The owner of the account, who uses this browser.
    Person(&'a Client),
    /// A support agent or an operator. The person's list of activity does not show the agent's device and network.
    Support(AuditReceipt),
    /// The program itself, such as a background job.
    System,
}

impl<'a> From<&'a Client> for Actor<'a> {
    fn from(client: &'a Client) -> Actor<'a> {
        Actor::Person(client)
    }
}

impl<'a> Actor<'a> {
    pub(super) fn name(self) -> &'static str {
        match self {
            Actor::Person(_) => "self",
            Actor::Support(_) => "support",
            Actor::System => "system",
        }
    }

    pub(super) fn client(self) -> Option<&'a Client> {
        match self {
            Actor::Person(client) => Some(client),
            Actor::Support(_) | Actor::System => None,
        }
    }
}
