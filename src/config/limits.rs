//! The settings of the rate limits. The table `LimitName` (`rate_limit/limit_name.rs`) lists all rate limits.

use super::Limit;
use super::section::config_sections;

fn limit(text: &str) -> Limit {
    text.parse().expect("a default limit")
}

config_sections! {
    pub struct Limits {
        pub enabled: bool = true,
        /// Wrong passwords for an email address, sent from devices that are not enrolled.
        pub login_failed_account: Limit = limit("5/5m"),
        /// Wrong passwords from a network.
        pub login_failed_ip: Limit = limit("10/m"),
        /// All sign-ins from a network.
        pub login_ip: Limit = limit("30/m"),
        pub signup_ip: Limit = limit("20/m"),
        /// Requests for the link of a password reset or of a migration.
        pub reset_ip: Limit = limit("20/m"),
        pub reset_address: Limit = limit("5/m"),
        /// Mails that anybody can cause, counted by mailbox.
        pub mail_address: Limit = limit("10/h"),
        /// Mails with links that recover access to an account.
        pub mail_recovery: Limit = limit("10/h"),
        /// Mails that approve a new device, which only a correct password causes.
        pub mail_approval: Limit = limit("10/h"),
        /// Password changes from one device of an account.
        pub change_password: Limit = limit("5/m"),
        /// Proofs of identity on one device of an account.
        pub reauthenticate_account: Limit = limit("5/5m"),
        /// Wrong second-factor codes.
        pub second_factor_account: Limit = limit("5/15m"),
        pub recovery_code_account: Limit = limit("10/d"),
        /// Additions of ways to sign in, whatever their outcome, and requests for the account's deletion or for a reset
        /// of its strong factors. Each mails a notice.
        pub credential_change_account: Limit = limit("20/h"),
        /// Downloads of an account's data.
        pub export_account: Limit = limit("5/d"),
        /// Changes of the newsletter choice and of passkey names.
        pub preference_account: Limit = limit("60/h"),
        pub change_email: Limit = limit("10/m"),
        /// Confirmations with an invalid link or second-factor code, counted by route.
        pub confirm_ip: Limit = limit("20/m"),
        /// Passkey challenges and sign-ins.
        pub passkey_ip: Limit = limit("60/m"),
        /// Lookups of accounts in the support view, counted by support agent.
        pub support_lookup: Limit = limit("60/h"),
        pub resend_address: Limit = limit("1/3m"),
        /// Requests at the token and revocation endpoints, counted before the application has authenticated.
        pub oidc_token_ip: Limit = limit("600/m"),
        /// Requests of an application that has authenticated with its client secret at the token endpoint.
        pub oidc_token_client: Limit = limit("600/m"),
        /// Authorization requests.
        pub oidc_authorize_ip: Limit = limit("60/m"),
    }
}
