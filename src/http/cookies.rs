//! Cookies: names, attributes and parsing.

use std::convert::Infallible;
use std::fmt::Write;

use axum::http::header::{COOKIE, SET_COOKIE};
use axum::response::{IntoResponseParts, ResponseParts};

use super::prelude::*;
use crate::accounts::sign_in::ticket::{self, TicketCookie};
use crate::domain::age::AgeForm;
use crate::domain::secret::Secret;
use crate::domain::session_id::SessionId;
use crate::error::AgeRefusalsCookie;

/// Declares the names of the cookies. With https, each name has the prefix `__Host-`, so that no other host of the domain
/// than this one can set the cookie.
macro_rules! cookie_names {
    ($($(#[$doc:meta])* $field:ident = $name:literal;)*) => {
        pub(crate) struct CookieNames {
            $($(#[$doc])* pub $field: &'static str,)*
        }

        impl CookieNames {
            pub(crate) fn new(config: &Config) -> CookieNames {
                match config.is_https() {
                    true => CookieNames { $($field: concat!("__Host-", $name),)* },
                    false => CookieNames { $($field: $name,)* },
                }
            }
        }
    };
}

cookie_names! {
    session = "session";
    device = "device";
    /// The cookie that counts how often the registration form refused this browser's user as under age.
    attempts = "attempts";
    migration_attempts = "migration-attempts";
    /// The cookie that binds the sign-in for an application to the browser (`sign_in::ticket`).
    ticket = "ticket";
    /// The cookie with the chosen language. The screens set this cookie (`web/src/languages.ts`), and the server reads
    /// it.
    language = "account_language";
}

/// The lifetime of the device cookie: 400 days, because Chromium keeps no cookie longer (RFC 6265bis section 5.5).
const DEVICE_COOKIE_SECONDS: i64 = 400 * 24 * 3600;

/// Returns the values of all cookies with this name, with `None` for a value that is not ASCII. The header is parsed as
/// bytes, because a cookie of another application on this host may contain any byte.
fn values_of<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = Option<&'a str>> {
    headers
        .get_all(COOKIE)
        .iter()
        .flat_map(|header| header.as_bytes().split(|byte| *byte == b';'))
        .filter_map(split_cookie_pair)
        .filter(move |(cookie_name, _)| *cookie_name == name.as_bytes())
        .map(|(_, value)| str::from_utf8(value).ok().filter(|text| text.is_ascii()))
}

/// Splits `name=value` at the first `=`. White space after the name stays a part of the name, because a proxy that
/// withholds this site's cookies from other applications matches exact names, and would pass on a cookie whose name
/// ends with a space.
fn split_cookie_pair(pair: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = pair.iter().position(|byte| *byte == b'=')?;
    Some((pair[..at].trim_ascii_start(), pair[at + 1..].trim_ascii()))
}

pub(crate) fn has_cookie(headers: &HeaderMap, name: &str) -> bool {
    values_of(headers, name).next().is_some()
}

/// Returns the value of the cookie with this name, if there is exactly one such cookie and it is ASCII. Two cookies
/// with the same name are both ignored, because another host of the domain set at least one of them.
pub(crate) fn single_cookie<'a>(headers: &'a HeaderMap, name: &'a str) -> Option<&'a str> {
    let mut found = values_of(headers, name);
    let first = found.next()?;
    found.next().is_none().then_some(first).flatten()
}

/// Collects the `Set-Cookie` headers of a response.
pub(crate) struct CookieSetter {
    names: CookieNames,
    is_https: bool,
    session_seconds: i64,
    headers: HeaderMap,
}

impl CookieSetter {
    pub(crate) fn new(app: &App) -> CookieSetter {
        let config = &app.config;
        CookieSetter {
            names: CookieNames::new(config),
            is_https: config.is_https(),
            session_seconds: config.lifetimes.session_absolute.millis() / 1000,
            headers: HeaderMap::new(),
        }
    }

    /// The lifetime of the cookie is the maximum lifetime of a session. The server ends an idle session earlier.
    pub(crate) fn set_session(self, id: &SessionId) -> Self {
        let (name, seconds) = (self.names.session, self.session_seconds.max(1));
        self.set_cookie(name, &id.expose(), seconds)
    }

    pub(crate) fn clear_session(self) -> Self {
        let name = self.names.session;
        self.set_cookie(name, "", 0)
    }

    pub(crate) fn set_device(self, cookie: &Secret) -> Self {
        let name = self.names.device;
        self.set_cookie(name, cookie.expose(), DEVICE_COOKIE_SECONDS)
    }

    pub(crate) fn set_age_refusals(self, count: &AgeRefusalsCookie) -> Self {
        let name = match count.form {
            AgeForm::Registration => self.names.attempts,
            AgeForm::Migration => self.names.migration_attempts,
        };
        self.set_cookie(name, &count.text, count.seconds)
    }

    pub(crate) fn set_ticket(self, cookie: &TicketCookie) -> Self {
        let name = self.names.ticket;
        let seconds = ticket::COOKIE_LIFETIME_MILLIS / 1000;
        self.set_cookie(name, &cookie.cookie_value(), seconds)
    }

    pub(crate) fn into_headers(self) -> HeaderMap {
        self.headers
    }

    fn set_cookie(mut self, name: &str, value: &str, max_age: i64) -> Self {
        let mut cookie =
            format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}");
        if self.is_https {
            cookie.push_str("; Secure");
        }
        if max_age == 0 {
            let _ = write!(cookie, "; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
        }
        let value = HeaderValue::try_from(cookie).expect("ASCII only");
        self.headers.append(SET_COOKIE, value);
        self
    }
}

impl IntoResponseParts for CookieSetter {
    type Error = Infallible;

    fn into_response_parts(self, parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        self.headers.into_response_parts(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxies_of_other_applications_remove_each_cookie() {
        let CookieNames {
            session,
            device,
            attempts,
            migration_attempts,
            ticket,
            language,
        } = CookieNames::new(&Config::default());
        for path in ["deploy/nginx-forward-auth.conf", "deploy/Caddyfile"] {
            let file = std::fs::read_to_string(path).unwrap();
            let is_name_char = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
            let words: Vec<_> = file.split(|c| !is_name_char(c)).collect();
            for name in [
                session, device, attempts, migration_attempts, ticket, language,
            ] {
                assert!(words.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn a_cookie_has_exactly_its_name() {
        for (header, value) in [
            ("session=a", Some("a")),
            ("theme=x; session= a ;page=2", Some("a")),
            ("theme=x;\tsession=a", Some("a")),
            ("session =a", None),
            ("session\t=a", None),
            ("xsession=a", None),
            ("Session=a", None),
            ("session =b; session=a", Some("a")),
            ("session=a; session=b", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, header.parse().unwrap());
            assert_eq!(single_cookie(&headers, "session"), value, "{header}");
        }
    }
}
