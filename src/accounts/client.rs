//! The browser that sent an HTTP request.

use std::net::IpAddr;

use crate::domain::device;
use crate::domain::secret::Secret;
use crate::domain::session_id::SessionId;
use crate::i18n::Language;
use crate::rng::Rng;

/// The browser that sent an HTTP request, and the context of that request.
pub(crate) struct Client {
    pub language: Language,
    /// The id of a configured region. An unknown Host header selects the default region.
    pub region: String,
    /// The host name of the HTTP request, without a port.
    pub host: String,
    pub ip: IpAddr,
    /// The session id in the session cookie; the session may have ended.
    pub session: Option<SessionId>,
    pub device: Option<Secret>,
    pub user_agent: Option<String>,
    /// The signed cookie that counts the refused attempts of an under-age person to register.
    pub registration_age_refusals: Option<String>,
    pub migration_age_refusals: Option<String>,
    /// The cookie with the destination of a sign-in for another application; see `sign_in/ticket.rs`.
    pub ticket: Option<String>,
}

impl Client {
    /// Returns the browser as text, such as "Firefox · Windows".
    pub(crate) fn device_name(&self) -> String {
        device::describe_browser(self.user_agent.as_deref().unwrap_or_default())
    }

    /// Returns the device cookie of this browser, or a new device cookie.
    pub(crate) fn device_or_new(&self, rng: &Rng) -> Secret {
        let own = self.device.clone();
        own.unwrap_or_else(|| Secret::generate(rng))
    }
}
