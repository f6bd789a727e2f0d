//! The table of all rate limits.

use super::{LimitedAction, Subject};
use crate::config::{Duration, Limit, Limits};
use crate::named_enum::named_enum;

/// The kind of subject that a limit counts. The variants of [`Subject`] have the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    Network,
    NetworkFor,
    Email,
    Application,
    SessionOfApplication,
    Account,
    Device,
    Passkey,
}

/// The weakest party that can use up a limit.
///
/// A protective action, such as the end of a session, must not be refused to the owner after an attacker with a stolen
/// session has used up a limit. Therefore no limit counts such actions if a session alone can use it up. What a
/// session can use up is counted by its device, unless it bounds what the account stores or mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spender {
    Anybody,
    /// A party with a live session of the account, whose proof of identity may be old.
    Session,
    /// A party that has proved the identity of the account's owner, at any level.
    Proof,
    /// Only the owner of the account or of the application.
    Owner,
}

named_enum! {
    /// A rate limit. Its name is that of its setting, in metrics and in logs. Email addresses with and without an
    /// account are counted alike.
    #[derive(Hash)]
    pub enum LimitName(limit: fn(&Limits) -> Limit, subject: SubjectKind, spent_by: Spender) {
        FailedSignIn = "login_failed_account", |limits| limits.login_failed_account, SubjectKind::Email, Spender::Anybody;
        FailedSignInFrom = "login_failed_ip", |limits| limits.login_failed_ip, SubjectKind::Network, Spender::Anybody;
        SignInFrom = "login_ip", |limits| limits.login_ip, SubjectKind::Network, Spender::Anybody;
        SignUpFrom = "signup_ip", |limits| limits.signup_ip, SubjectKind::Network, Spender::Anybody;
        ResetFrom = "reset_ip", |limits| limits.reset_ip, SubjectKind::Network, Spender::Anybody;
        ResetOf = "reset_address", |limits| limits.reset_address, SubjectKind::Email, Spender::Anybody;
        OtherMailTo = "mail_address", |_| limit(10, 3600), SubjectKind::Email, Spender::Anybody;
        RecoveryMailTo = "mail_recovery", |limits| limits.mail_recovery, SubjectKind::Email, Spender::Anybody;
        ApprovalMailTo = "mail_approval", |_| limit(10, 3600), SubjectKind::Email, Spender::Proof;
        PasswordChange = "change_password", |limits| limits.change_password, SubjectKind::Device, Spender::Session;
        Reauthentication = "reauthenticate_account", |_| limit(5, 5 * 60),
            SubjectKind::Device, Spender::Session;
        SecondFactor = "second_factor_account", |limits| limits.second_factor_account,
            SubjectKind::Account, Spender::Proof;
        RecoveryCode = "recovery_code_account", |_| limit(10, 24 * 3600),
            SubjectKind::Account, Spender::Proof;
        CredentialChange = "credential_change_account", |limits| limits.credential_change_account,
            SubjectKind::Account, Spender::Proof;
        Export = "export_account", |limits| limits.export_account, SubjectKind::Account, Spender::Proof;
        PreferenceChange = "preference_account", |_| limit(60, 3600),
            SubjectKind::Account, Spender::Session;
        EmailChange = "change_email", |_| limit(10, 60), SubjectKind::Account, Spender::Session;
        ConfirmFrom = "confirm_ip", |limits| limits.confirm_ip, SubjectKind::NetworkFor, Spender::Anybody;
        PasskeyFrom = "passkey_ip", |limits| limits.passkey_ip, SubjectKind::Network, Spender::Anybody;
        SupportLookup = "support_lookup", |limits| limits.support_lookup, SubjectKind::Account, Spender::Proof;
        ResendTo = "resend_address", |_| limit(1, 3 * 60), SubjectKind::Email, Spender::Anybody;
        TokenRequestFrom = "oidc_token_ip", |_| limit(600, 60), SubjectKind::Network, Spender::Anybody;
        TokenRequestOf = "oidc_token_client", |limits| limits.oidc_token_client,
            SubjectKind::Application, Spender::Owner;
        AuthorizationFrom = "oidc_authorize_ip", |limits| limits.oidc_authorize_ip,
            SubjectKind::Network, Spender::Anybody;
        /// Requests with a live authorization code or token, counted by session. When a session ends, one statement
        /// deletes all its tokens, so their number must be limited.
        TokenRequestIn = "oidc_token_session", |_| limit(300, 3600),
            SubjectKind::SessionOfApplication, Spender::Session;
        /// Requests that name a public client, but contain no live code or token of this client. They do not count
        /// toward the client's limit, because anybody can send them: the client id is no secret.
        UnprovenTokenRequest = "oidc_token_client_ip", |limits| limits.oidc_token_client,
            SubjectKind::NetworkFor, Spender::Anybody;
        /// Sign-ins in new browsers. Each of them mails a notice, so an attacker who knows the password could otherwise
        /// fill the mailbox of the owner.
        SignInNotice = "sign_in_notice", |_| limit(60, 3600), SubjectKind::Account, Spender::Proof;
        /// Concurrent exports of an account's data. The window is the maximum duration of an export.
        RunningExport = "export_running", |_| limit(1, 2 * 60), SubjectKind::Account, Spender::Proof;
        /// Mails and events about a passkey whose signature counter did not grow.
        RejectedPasskey = "passkey_rejected", |_| limit(1, 3600), SubjectKind::Passkey, Spender::Anybody;
        /// Wrong client secrets of an application.
        FailedClientAuthentication = "oidc_client_failed", |limits| limits.login_failed_ip,
            SubjectKind::NetworkFor, Spender::Anybody;
        /// Wrong passwords on an enrolled device. Each device has a separate counter, so that wrong passwords from
        /// other devices cannot lock the owner of the account out.
        FailedSignInOn = "login_failed_device", |limits| limits.login_failed_account,
            SubjectKind::Device, Spender::Session;
        /// Consecutive failed sign-ins without a proof of identity by the owner (NIST SP 800-63B 3.2.2).
        FailedSignInStreak = "login_failed_streak", |_| limit(100, 30 * 24 * 3600),
            SubjectKind::Email, Spender::Anybody;
        FailedSignInStreakOn = "login_failed_device_streak", |_| limit(100, 30 * 24 * 3600),
            SubjectKind::Device, Spender::Session;
    }
}

fn limit(hits: i64, seconds: u64) -> Limit {
    let window = Duration(std::time::Duration::from_secs(seconds));
    Limit { hits, window }
}

impl LimitName {
    /// Returns the action that this limit counts for the subject.
    pub fn of(self, subject: Subject<'_>) -> LimitedAction<'_> {
        debug_assert_eq!(subject.kind(), self.subject(), "{self:?}");
        LimitedAction {
            limit: self,
            subject,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits by account that a session can use up, with what each of them bounds.
    const BY_ACCOUNT: [(LimitName, &str); 2] = [
        (
            LimitName::PreferenceChange,
            "the consents and the events that the account stores",
        ),
        (LimitName::EmailChange, "the mails about a change"),
    ];

    #[test]
    fn what_a_session_can_use_up_is_counted_by_its_device_or_bounds_the_account() {
        for name in LimitName::ALL.iter().copied() {
            let is_listed = BY_ACCOUNT.iter().any(|(listed, _)| *listed == name);
            let found = match (name.spent_by(), name.subject()) {
                (Spender::Session, SubjectKind::Account) => is_listed,
                (Spender::Session, kind) => {
                    matches!(
                        kind,
                        SubjectKind::Device | SubjectKind::SessionOfApplication
                    )
                }
                // Strangers must not use up what an account needs.
                (Spender::Anybody, kind) => {
                    !matches!(kind, SubjectKind::Account | SubjectKind::Device)
                }
                (Spender::Proof | Spender::Owner, _) => !is_listed,
            };
            assert!(found, "{name:?}");
        }
    }

    #[test]
    fn each_setting_is_a_limit() {
        let limits = crate::config::Config::default().limits;
        let settings = serde_json::to_value(&limits).expect("plain data");
        let mut names: Vec<_> = settings.as_object().expect("a section").keys().collect();
        names.retain(|name| *name != "enabled");
        for name in names {
            let found = LimitName::from_name(name).expect("a limit");
            let limit = found.limit()(&limits);
            assert_eq!(settings[name], serde_json::json!(limit), "{name}");
        }
    }
}
