//! The browser that sent an HTTP request, and the data of that request.

use std::net::IpAddr;

use crate::app::App;
use crate::config::RelyingParty;
use crate::domain::device;
use crate::domain::secret::Secret;
use crate::domain::session_id::SessionId;
use crate::i18n::Language;
use crate::rng::Rng;

pub(crate) struct Client {
    pub language: Language,
    /// The id of the configured region to which the Host header belongs. An unknown host belongs to the default region.
    pub region: String,
    /// The host name of the HTTP request, without a port.
    pub host: String,
    pub ip: IpAddr,
    /// The session id in the session cookie; the session may have ended.
    pub session_id: Option<SessionId>,
    pub device_cookie: Option<Secret>,
    pub user_agent: Option<String>,
    /// The signed cookie that counts the registrations of this browser that were refused because of the age.
    pub registration_age_refusals: Option<String>,
    pub migration_age_refusals: Option<String>,
    /// The cookie that contains the destination of a sign-in for another application (`sign_in/ticket.rs`).
    pub ticket_cookie: Option<String>,
}

impl Client {
    /// Returns the name of the browser and of its operating system, such as "Firefox · Windows".
    pub(crate) fn device_name(&self) -> String {
        device::describe_browser(self.user_agent.as_deref().unwrap_or_default())
    }

    /// Returns the value of the device cookie, or a new random value if the browser has no device cookie.
    pub(crate) fn device_or_new(&self, rng: &Rng) -> Secret {
        let own = self.device_cookie.clone();
        own.unwrap_or_else(|| Secret::generate(rng))
    }
    /// Returns the WebAuthn relying party of the site that the client uses. Returns `None` if passkeys are off.
    pub(crate) fn relying_party(&self, app: &App) -> Option<RelyingParty> {
        let region = app.config.region_by_id(&self.region);
        app.config.relying_party(region, &self.host)
    }
}
