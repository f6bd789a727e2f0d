//! The addresses of external services: built from the configuration alone, independent of the request.

use account::config::Region;

use super::use_service;
use crate::prelude::*;
use crate::wire::service::{Behaviour, Service};

on_sqlite!(
    the_service_gets_configured_hosts_only,
    the_service_gets_no_visitor_data_and_no_redirect_is_followed
);

const HOSTILE_HOSTS: [&str; 10] = [
    "169.254.169.254", "localhost:22", "user@evil.example", "www.example.org#evil.example",
    "www.example.org?evil.example", "www.example.org%0d%0aX-Evil:1", "www.example.org/../../admin",
    "xn--e1awd7f.example", "www.example.org.", "%77ww.example.org",
];

// security: IN-5, HD-6
async fn the_service_gets_configured_hosts_only(db: Database) {
    let service = Service::start(Behaviour::html("<p>clean</p>")).await;
    let live = db
        .live_site_with(|config| {
            use_service(&service)(config);
            config.regions = vec![Region {
                hosts: vec!["www.example.org".into(), "www.example.com".into()],
                environment: "stage".into(),
                ..Region::default()
            }];
        })
        .await;
    let api = "/account/account-api";
    for host in HOSTILE_HOSTS {
        let mut client = live.client().await;
        let plain = host.split(['@', '#', '?', '/', '%']).next().unwrap();
        client.headers = format!("Host: {plain}\r\nX-Forwarded-Host: {host}\r\n");
        for part in ["header", "footer"] {
            let response = client.get(&format!("{api}/ui/{part}?domain={host}")).await;
            let status = response.status.as_u16();
            assert!(status == 200 || status == 400, "{host}: {status}");
            assert_eq!(response.set_cookies().count(), 0);
        }
        let absolute = format!("http://{plain}{api}/ui/header");
        client.get(&absolute).await;
    }
    let mut client = live.client().await;
    client.headers = "Host: WWW.example.COM:8443\r\n".into();
    assert_status!(client.get(&format!("{api}/ui/header")), 200);
    assert_status!(client.get(&format!("{api}/translations/pt")), 200);

    let mut request: Vec<String> = service
        .requests()
        .iter()
        .map(|head| head.lines().next().unwrap().to_owned())
        .collect();
    request.sort();
    request.dedup();
    assert_eq!(
        request,
        [
            "GET /parts/footer?domain=www.example.org HTTP/1.1",
            "GET /parts/header?domain=www.example.com HTTP/1.1",
            "GET /parts/header?domain=www.example.org HTTP/1.1",
            "GET /words/stage/pt.json HTTP/1.1",
        ]
    );
}

// security: IN-5
async fn the_service_gets_no_visitor_data_and_no_redirect_is_followed(db: Database) {
    let elsewhere = Service::start(Behaviour::html("<p>secret</p>")).await;
    let redirect = format!(
        "HTTP/1.1 302 Found\r\nLocation: {}/metadata\r\nContent-Length: 0\r\n\r\n",
        elsewhere.url()
    );
    let service = Service::start(Behaviour::Writes(redirect.into())).await;
    let site = db.site_with(use_service(&service)).await;
    let ada = site.signed_in("ada").await;
    let response = ada.browser.get("/ui/header?domain=x").await;
    response.assert_error(account::testing::error::ErrorCode::FragmentUnavailable);
    assert_status!(ada.browser.get("/translations/de"), 200);
    assert_eq!(elsewhere.requests().len(), 0);
    let requests = service.requests();
    assert_eq!(requests.len(), 2);
    for head in requests.iter().map(|head| head.to_lowercase()) {
        assert_lacks!(
            head, "cookie", "session", "authorization", "referer", "firefox", "x-forwarded"
        );
    }
}
