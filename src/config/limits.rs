//! The table of all rate limits.

use serde::{Deserialize, Serialize};

use super::Limit;

/// Passes the table of rate limits to another macro: to `limits_section`, which declares the settings, and to `actions`
/// in `rate_limit.rs`. A row contains an action with its arguments, the counted subject, and the name of the limit in
/// settings, metrics and logs with the default. The file `rate_limit.rs` defines the subjects. Email addresses with and
/// without an account are counted alike.
macro_rules! limits_table {
    ($macro:ident) => {
        $macro! {
            <'a>
            settings {
                /// Wrong passwords for an email address, sent from devices that are not enrolled.
                FailedSignIn(key: &'a str), Email(key), login_failed_account = "5/5m";
                /// Wrong passwords from a network.
                FailedSignInFrom(ip: IpAddr), Network(ip), login_failed_ip = "10/m";
                /// All sign-ins from a network.
                SignInFrom(ip: IpAddr), Network(ip), login_ip = "30/m";
                SignUpFrom(ip: IpAddr), Network(ip), signup_ip = "20/m";
                /// Requests for the link of a password reset or of a migration.
                ResetFrom(ip: IpAddr), Network(ip), reset_ip = "20/m";
                ResetOf(key: &'a str), Email(key), reset_address = "5/m";
                /// Mails that anybody can cause, counted by mailbox.
                OtherMailTo(key: &'a str), Email(key), mail_address = "10/h";
                /// Mails with links that recover access to an account.
                RecoveryMailTo(key: &'a str), Email(key), mail_recovery = "10/h";
                /// Mails that approve a new device, which only a correct password causes.
                ApprovalMailTo(key: &'a str), Email(key), mail_approval = "10/h";
                PasswordChange(account: Uuid), Account(account), change_password = "5/m";
                Reauthentication(account: Uuid), Account(account), reauthenticate_account = "5/5m";
                /// Wrong second-factor codes.
                SecondFactor(account: Uuid), Account(account), second_factor_account = "5/15m";
                RecoveryCode(account: Uuid), Account(account), recovery_code_account = "10/d";
                /// Changes of an account's credentials, whatever their outcome, and requests for its deletion. Each mails a
                /// notice.
                CredentialChange(account: Uuid), Account(account), credential_change_account = "20/h";
                /// Downloads of an account's data.
                Export(account: Uuid), Account(account), export_account = "5/d";
                /// Changes of the newsletter choice and of passkey names, and reports of unknown sign-ins.
                PreferenceChange(account: Uuid), Account(account), preference_account = "60/h";
                EmailChange(account: Uuid), Account(account), change_email = "10/m";
                /// Confirmations with an invalid link or second-factor code, counted by route.
                ConfirmFrom(route: &'static str, ip: IpAddr), NetworkFor(route, ip), confirm_ip = "20/m";
                /// Passkey challenges and sign-ins.
                PasskeyFrom(ip: IpAddr), Network(ip), passkey_ip = "60/m";
                /// Lookups of accounts in the support view, counted by support agent.
                SupportLookup(agent: Uuid), Account(agent), support_lookup = "60/h";
                ResendTo(key: &'a str), Email(key), resend_address = "1/3m";
                /// Requests at the token and revocation endpoints, counted before the application has authenticated.
                TokenRequestFrom(ip: IpAddr), Network(ip), oidc_token_ip = "600/m";
                /// Requests of an application that has authenticated with its client secret at the token endpoint.
                TokenRequestOf(client: &'a str), Application(client), oidc_token_client = "600/m";
                /// Authorization requests.
                AuthorizationFrom(ip: IpAddr), Network(ip), oidc_authorize_ip = "60/m";
            }
            without_setting {
                /// Requests with a live authorization code or token, counted by session. When a session ends, one
                /// statement deletes all its tokens, so their number must be limited.
                TokenRequestIn(client: &'a str, sid: Uuid), SessionOfApplication(client, sid),
                    oidc_token_session = |_: &Limits| SESSION_TOKEN_LIMIT;
                /// Requests that name a public client, but contain no live code or token of this client. They do not
                /// count toward the client's limit, because anybody can send them: the client id is no secret.
                UnprovenTokenRequest(client: &'a str, ip: IpAddr), NetworkFor(client, ip),
                    oidc_token_client_ip = |limits: &Limits| limits.oidc_token_client;
                /// Sign-ins in new browsers. Each of them mails a notice, so an attacker who knows the password could
                /// otherwise fill the mailbox of the owner.
                SignInNotice(account: Uuid), Account(account), sign_in_notice = |_: &Limits| SIGN_IN_NOTICE_LIMIT;
                /// Concurrent exports of an account's data. The window is the maximum duration of an export.
                RunningExport(account: Uuid), Account(account), export_running = |_: &Limits| RUNNING_EXPORT_LIMIT;
                /// Wrong client secrets of an application.
                FailedClientAuthentication(client: &'a str, ip: IpAddr), NetworkFor(client, ip),
                    oidc_client_failed = |limits: &Limits| limits.login_failed_ip;
                /// Wrong passwords on an enrolled device. Each device has a separate counter, so that wrong passwords
                /// from other devices cannot lock the owner of the account out.
                FailedSignInOn(account: Uuid, device: &'a SecretHash), Device(account, device),
                    login_failed_device = |limits: &Limits| limits.login_failed_account;
                /// Consecutive failed sign-ins without a proof of identity by the owner (NIST SP 800-63B 3.2.2).
                FailedSignInStreak(key: &'a str), Email(key), login_failed_streak = |_: &Limits| FAILURE_STREAK_LIMIT;
                FailedSignInStreakOn(account: Uuid, device: &'a SecretHash), Device(account, device),
                    login_failed_device_streak = |_: &Limits| FAILURE_STREAK_LIMIT;
            }
        }
    };
}
pub(crate) use limits_table;

macro_rules! limits_section {
    (<'a>
    settings { $(
        $(#[$doc:meta])* $action:ident($($arguments:tt)*), $subject:ident($($by:ident),*), $name:ident = $default:literal;
    )* }
    without_setting { $($rest:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Limits {
            pub enabled: bool,
            $($(#[$doc])* pub $name: Limit,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits {
                    enabled: true,
                    $($name: $default.parse().expect("a default limit"),)*
                }
            }
        }
    };
}

limits_table!(limits_section);
