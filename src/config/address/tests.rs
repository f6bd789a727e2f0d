use proptest::prelude::*;

use super::*;
use crate::config::{SecretSetting, mask_text, parse};

#[test]
fn each_host_of_a_list_keeps_the_rest_of_the_url() {
    for (url, urls) in [
        (
            "postgres://me:p,/w@db:5432/account?options=a,b@c/d",
            "postgres://me:p,/w@db:5432/account?options=a,b@c/d",
        ),
        (
            "postgres://me:p,w@one:1,two/account?x=y&sslmode=require",
            "postgres://me:p,w@one:1/account?x=y postgres://me:p,w@two/account?x=y",
        ),
        ("postgres://one,two", "postgres://one postgres://two"),
        (
            "postgres:///account?host=/run", "postgres:///account?host=/run",
        ),
        (
            "postgres://me:a,b?c@one,two?sslmode=require",
            "postgres://me:a,b?c@one postgres://me:a,b?c@two",
        ),
    ] {
        assert_eq!(split_postgres_url(url).expect(url).0.join(" "), urls);
    }
}

#[test]
fn addresses_that_nothing_can_connect_to_are_refused_without_being_repeated() {
    for wrong in [
        "sqlite://",
        "sqlite://:memory:",
        "sqlite://file:s3cret?mode=memory",
        "sqlite://data/account.db?mode=ro",
        "mysql://s3cret",
        "postgres://me:s3cret@db:port/account",
        "postgres://me:s3cret@/account",
        "postgres://me:s3cret@db/account?sslmode=maybe",
        "postgres://me:s3cret@db/account?sslmode=require&sslmode=disable",
        "postgres://me:s3cret@db/account?SSLMODE=require",
        "postgres://me:s3cret@db/account?sslrootcert=/ca.pem",
        "postgres://me:s3@cret@db/account",
        "postgres://me:s3@cret/x#y@db/account",
        "postgres://me:s3/x?cret@db/account",
        "postgres://db/account?user=me&password=s3@cret",
        "postgres://db:5432?password=s3@cret",
        "postgres:///account?host=/run&password=s3@cret",
    ] {
        let error = wrong.parse::<DatabaseAddress>().err().expect(wrong);
        assert!(!error.contains("s3"), "{wrong}: {error}");
        assert!(!error.contains("cret"), "{wrong}: {error}");
    }
    for wrong in [
        "mail.example",
        "smtp://",
        "smtp://mail.example:port",
        "smtp://mail..example/a/b",
        "smtp://[::1",
        "smtp://me@mail.example",
        "smtp://me:s3cret@mail.example#s3cret",
        "smtp://me:12/s3cret@mail.example",
        "smtp://me:12?s3cret@mail.example",
        "smtp://me:s3cret@mail.example?tls=maybe",
        "smtp://me:s3cret@mail.example?tls=",
        "smtp://me:s3cret@mail.example?TLS=required",
        "smtp://me:s3cret@mail.example?tls=Required",
        "smtp://me:s3cret@mail.example?tls=required&timeout=3",
        "smtp://me:s3cret@mail.example?tls=required&tls=opportunistic",
        "smtps://me:s3cret@mail.example?tls=opportunistic",
    ] {
        let error = wrong.parse::<SmtpAddress>().err().expect(wrong);
        assert!(!error.contains("s3cret"), "{wrong}: {error}");
    }
    for wrong in [
        "parts.example", "https://", "https://me:s3cret@", "http://a b/", "https://x/#y",
        "https://x/{env}",
    ] {
        let error = wrong.parse::<ServiceAddress>().err().expect(wrong);
        assert!(!error.contains("s3cret"), "{wrong}: {error}");
    }
}

#[test]
fn every_sslmode_is_parsed_and_removed_from_the_address() {
    for (word, mode) in [
        ("disable", SslMode::Disable),
        ("allow", SslMode::Allow),
        ("prefer", SslMode::Prefer),
        ("require", SslMode::Require),
        ("verify-ca", SslMode::VerifyCa),
        ("verify-full", SslMode::VerifyFull),
    ] {
        let text = format!("postgres://me@db/a?connect_timeout=3&sslmode={word}");
        let Ok(DatabaseAddress::Postgres(address)) = text.parse() else {
            panic!("{text}");
        };
        assert_eq!(address.ssl_mode, Some(mode));
    }
}

#[test]
fn the_smtp_server_is_read_from_its_url() {
    for (url, expected) in [
        ("smtp://mail.example", "mail.example 25 None - -"),
        (
            "smtps://u%40x:p%2Fw@MÜNCHEN.example/node.example",
            "xn--mnchen-3ya.example 465 Wrapper node.example u@x:p/w",
        ),
        (
            "smtp://mail_server?tls=required",
            "mail_server 587 Required - -",
        ),
        (
            "smtp://192.0.2.1:26/[2001:db8::1]?tls=opportunistic",
            "192.0.2.1 26 Opportunistic 2001:db8::1 -",
        ),
        ("smtps://[2001:DB8:0::1]", "2001:db8::1 465 Wrapper - -"),
        ("smtps://[::1]:2525?tls=required", "::1 2525 Wrapper - -"),
    ] {
        let SmtpAddress {
            host,
            port,
            tls,
            hello,
            credentials,
        } = url.parse().expect(url);
        let hello = hello.unwrap_or("-".to_owned());
        let credentials = credentials.map_or("-".to_owned(), |found| {
            format!("{}:{}", found.user, found.password)
        });
        let found = format!("{host} {port} {tls:?} {hello} {credentials}");
        assert_eq!(found, expected, "{url}");
    }
}

#[test]
fn every_url_setting_accepts_an_ipv6_address() {
    let toml = "
        [server]
        public_url = 'http://[::1]:8080'
        site_home = 'http://[::1]/'
        [database]
        url = 'postgres://me@[::1]:5432,[::2]/account'
        [mail]
        smtp_url = 'smtp://[::1]:2525'
        [fragments]
        url = 'http://[::1]:81/parts'
        [translations]
        url = 'http://[::1]/{environment}'
        [[webhooks]]
        url = 'http://[::1]:3000/hook'
        secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='
        [[oidc.clients]]
        id = 'wiki'
        name = 'Wiki'
        redirect_uris = ['http://[::1]/callback', 'https://[2001:db8::1]/callback']
        post_logout_redirect_uris = ['http://[::1]/']
        backchannel_logout_uri = 'https://[2001:db8::1]:8443/logout'
        [[regions]]
        id = 'us'
        brand = 'Fans'
        hosts = ['[::1]']
        logo = 'https://[2001:db8::1]/logo.svg'
        avatar_images = 'https://[2001:db8::1]/{id}.png'
        links.terms = 'https://[2001:db8::1]/terms'
        consent = { id = 'c', script_url = 'https://[2001:db8::1]/a.js', boot_url = 'https://[2001:db8::1]/b.js' }
    ";
    let config = parse(toml.parse().unwrap()).unwrap();
    assert_eq!(crate::config::problems(&config), [""; 0]);
    let DatabaseAddress::Postgres(database) = &*config.database.url else {
        panic!("no PostgreSQL");
    };
    assert!(database.network_hosts().eq(["::1", "::2"]));
    assert_eq!(config.mail.smtp_url.as_deref().unwrap().host, "::1");
    assert_eq!(config.webhooks[0].host(), "[::1]:3000");
    assert_eq!(config.public_host(), "[::1]");
    assert_eq!(config.region("[::1]").hosts, ["[::1]"]);
}

/// A password of words that no other part of a URL contains, with characters that have a meaning in URLs.
fn password() -> impl Strategy<Value = String> {
    let separator = prop::sample::select(vec![
        "@", "/", "?", "#", ":", ",", "%", "&", "=", " ", "[", "]", "\\", "",
    ]);
    prop::collection::vec(("(s3cret|hush)", separator.clone(), separator), 1..4).prop_map(|parts| {
        parts
            .into_iter()
            .map(|(word, one, two)| word + one + two)
            .collect()
    })
}

fn url() -> impl Strategy<Value = String> {
    let parts = (
        prop::sample::select(vec![
            "postgres", "postgresql", "smtp", "smtps", "http", "https",
        ]),
        password(),
        prop::sample::select(vec![
            "db.example", "db.example:5432", "one,two:1", "[::1]:25", "",
        ]),
        prop::sample::select(vec!["", "/", "/account"]),
        prop::sample::select(vec![
            "", "sslmode=require", "tls=required", "user=me&options=a@b",
        ]),
        0..3,
    );
    parts.prop_map(|(scheme, password, host, path, query, place)| match place {
        0 => format!("{scheme}://me:{password}@{host}{path}?{query}"),
        1 => format!("{scheme}://me:{password}@{host}{path}"),
        _ => format!("{scheme}://me@{host}{path}?password={password}&{query}"),
    })
}

/// Returns everything that the program prints of a URL: the setting, an error, and the hosts.
fn printed(url: &str) -> Vec<String> {
    let mut found = Vec::new();
    match url.parse::<SecretSetting<DatabaseAddress>>() {
        Err(error) => found.push(error),
        Ok(setting) => {
            found.push(setting.to_string());
            if let DatabaseAddress::Postgres(address) = &*setting {
                found.extend(address.network_hosts().map(str::to_owned));
            }
        }
    }
    match url.parse::<SecretSetting<SmtpAddress>>() {
        Err(error) => found.push(error),
        Ok(setting) => {
            found.extend([setting.to_string(), setting.host.clone()]);
            found.extend(setting.hello.clone());
        }
    }
    found
}

proptest! {
    #[test]
    fn no_part_of_a_password_is_printed(url in url()) {
        for text in printed(&url) {
            let text = mask_text(&text);
            prop_assert!(!text.contains("s3cret") && !text.contains("hush"), "{url}: {text}");
        }
    }
}
