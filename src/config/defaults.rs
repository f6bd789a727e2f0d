//! The defaults of the settings, by section.

use super::{
    Accounts, Age, ByteSize, Database, Duration, Fragments, LegacySignIn, Lifetimes, List, Log,
    LogFormat, Mail, NewDevice, Oidc, Password, Profile, Security, Server, Support, Translations,
};

fn duration(text: &str) -> Duration {
    text.parse().expect("a default duration")
}

/// Usernames that could be mistaken for the site itself, or for one of its email addresses or paths.
const RESERVED_USERNAMES: &str = "abuse account accounts admin administrator api billing contact guest \
    help helpdesk info legal login mail me mod moderator \
    moderators nobody noreply null official owner postmaster privacy register \
    root security service signup staff status superuser support sysadmin \
    system team undefined webmaster wiki";

/// Declares the default of each section.
macro_rules! defaults {
    ($($section:ident { $($fields:tt)* })*) => {$(
        impl Default for $section {
            fn default() -> Self {
                $section { $($fields)* }
            }
        }
    )*};
}

defaults! {
    Server {
        listen: ([127, 0, 0, 1], 8080).into(),
        public_url: "http://localhost:8080".into(),
        trusted_proxies: List(Vec::new()),
        ops_listen: None,
        body_limit: ByteSize(16 << 10),
        max_connections: 10_000,
        shutdown_grace: duration("10s"),
        drain_delay: None,
        site_home: None,
        hsts_subdomains: false,
    }

    Database {
        url: "sqlite://data/account.db"
            .parse()
            .expect("a default address"),
        ca_file: None,
        client_cert_file: None,
        client_key_file: None,
        max_connections: 16,
        mmap: true,
        backup_folder: None,
    }

    Mail {
        smtp_url: None,
        ca_file: None,
        from: "Account <account@localhost>".into(),
        poll_interval: duration("1s"),
        max_attempts: 12,
        backoff: duration("5s"),
    }

    Fragments {
        url: None,
        timeout: duration("2s"),
        max_bytes: ByteSize(256 << 10),
        ttl: duration("60s"),
    }

    Translations {
        url: None,
        timeout: duration("2s"),
        ttl: duration("5m"),
    }

    Security {
        profile: Profile::Spec,
        new_device: NewDevice::Verify,
        max_devices: 10,
        password_history: 5,
        common_passwords: None,
        legacy_hint: None,
        legacy_sign_in: LegacySignIn::Migrate,
        second_factor_trust: duration("30d"),
        encryption_key_file: "data/account.key".into(),
    }

    Password {
        memory_kib: 19456,
        iterations: 2,
        parallelism: 1,
        max_parallel: None,
        queue_wait: duration("2s"),
    }

    Lifetimes {
        session_idle: duration("7d"),
        session_absolute: duration("30d"),
        reset: duration("30m"),
        verify: duration("24h"),
        email_change: duration("1h"),
        migration: duration("24h"),
        device_approval: duration("30m"),
        email_undo: duration("7d"),
        unverified_account: duration("7d"),
        reauthentication: duration("10m"),
        webauthn_challenge: duration("5m"),
        second_factor_challenge: duration("10m"),
        totp_setup: duration("15m"),
        second_factor_reset: duration("7d"),
        credential_undo: duration("7d"),
        deletion_grace: duration("14d"),
        username_hold: duration("90d"),
        inactive_account: duration("0s"),
        activity: duration("180d"),
        support_session: duration("15m"),
        audit: duration("400d"),
        sweep: duration("1m"),
    }

    Age {
        registration: 17,
        migration: 18,
        attempts: 3,
    }

    Accounts {
        reserved_usernames: List(RESERVED_USERNAMES.split(' ').map(str::to_owned).collect()),
    }

    Support {
        enabled: false,
        networks: List(Vec::new()),
    }

    Oidc {
        enabled: false,
        key_lifetime: duration("90d"),
        key_prepublish: duration("24h"),
        access_token: duration("10m"),
        id_token: duration("10m"),
        code: duration("60s"),
        refresh_token: duration("30d"),
        refresh_grace: duration("30s"),
        clients: Vec::new(),
    }

    Log {
        level: "info".into(),
        format: LogFormat::Auto,
    }
}
