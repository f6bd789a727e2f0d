//! The Host header selects one of the configured regions and has no other effect.

use account::config::Region;

use crate::support::prelude::*;

const EVIL: [&str; 8] = [
    "evil.example", "evil.example:8080", "169.254.169.254", "localhost.evil.example",
    "xn--e1awd7f.example", "www.example.org.evil.example", "EVIL.EXAMPLE",
    "[::ffff:169.254.169.254]",
];

on_sqlite!(
    a_forged_host_is_never_reflected,
    a_request_without_exactly_one_host_is_refused,
);

// security: HD-6, IN-5
async fn a_forged_host_is_never_reflected(db: Database) {
    let live = db
        .live_site_with(|config| {
            config.regions = vec![Region {
                hosts: vec!["www.example.org".into()],
                ..Region::default()
            }];
        })
        .await;
    let paths = [
        "/account/",
        "/account",
        "/account/login",
        "/account/nowhere",
        "/account/account-api/config",
        "/account/account-api/ui/header?domain=evil.example",
        "/account/account-api/ui/footer?domain=evil.example",
        "/account/account-api/users/me",
        "/.well-known/change-password",
        "/",
    ];
    let mut client = live.client().await;
    client.headers = "Host: www.example.org\r\n".into();
    let mut clean = Vec::new();
    for path in paths {
        clean.push(client.get(path).await);
    }
    for host in EVIL {
        client.headers = format!(
            "Host: {host}\r\nX-Forwarded-Host: {host}\r\nX-Forwarded-Proto: evil\r\n\
             X-Forwarded-Prefix: /evil\r\nForwarded: host={host}\r\nX-Original-URL: /evil\r\n\
             X-Rewrite-URL: /evil\r\n"
        );
        for (path, clean) in paths.iter().zip(&clean) {
            let response = client.get(path).await;
            assert_eq!(response.status, clean.status, "{host} {path}");
            assert_eq!(response.body, clean.body, "{host} {path}");
            let headers = format!("{:?}", response.headers).to_lowercase();
            assert!(
                !headers.contains("evil") && !headers.contains("169.254"),
                "{headers}"
            );
            let is_kept = response
                .header("cache-control")
                .unwrap_or_default()
                .contains("public");
            assert!(!is_kept || response.set_cookies().count() == 0);
        }
    }
}

// security: BI-10, HD-6
async fn a_request_without_exactly_one_host_is_refused(live: LiveSite) {
    for hosts in [
        "",
        "Host:\r\n",
        "Host: a\r\nHost: b\r\n",
        "Host: localhost:8080\r\nhost: localhost:8080\r\n",
        "Host: user@evil.example\r\n",
        "Host: a/b\r\n",
        "Host: a#b\r\n",
        "Host: a?b\r\n",
        "Host: a b\r\n",
    ] {
        let mut client = live.client().await;
        client.headers = hosts.to_owned();
        let response = client.get("/account/account-api/config").await;
        assert_eq!(response.status, 400, "{hosts:?}");
        response.assert_header("x-content-type-options", "nosniff");
    }
}
