//! Calls without a session, with invented cookies, tokens and credentials.

use account::config::Config;
use account::testing::domain::secret::Secret;
use account::testing::rng::Rng;

use crate::oidc::enable_provider;
use crate::support::prelude::*;
use crate::support::routes::{self, Route};

fn invented_secret() -> String {
    Secret::generate(&Rng::System).expose().to_owned()
}

/// A body with every field that names a subject, so that each route finds the one that it reads.
fn invented_body() -> Value {
    let mut body = form("stranger");
    for name in ["token", "device_token", "undo_token"] {
        body[name] = json!(invented_secret());
    }
    body["code"] = json!("123456");
    body["state"] = json!("e30.e30");
    body["new_password"] = json!("Orange-Tree-43");
    body["confirm_password"] = json!("Orange-Tree-43");
    body["approve"] = json!(true);
    body
}

/// A browser with the session and the device that a person had, and with an invented ticket.
fn stranger(site: &Site, session: &str) -> Browser {
    let browser = site.browser();
    browser.set_cookie("session", session);
    browser.set_cookie("device", &invented_secret());
    browser.set_cookie("ticket", &invented_secret());
    browser
}

/// Sends the call with credentials that nobody has.
async fn call(browser: &Browser, route: &Route) -> Response {
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    let path = match route.method.as_str() {
        "GET" => format!("{}?token={}", route.path, invented_secret()),
        _ => route.path.clone(),
    };
    let request = browser.fetch(method, &path);
    match route.has_body {
        true => {
            let request = request.header("content-type", "application/json");
            let body = invented_body().to_string();
            browser.send_with(request, body).await
        }
        false => browser.send(request).await,
    }
}

// security: SE-13
on_sqlite!(a_call_with_invented_credentials_takes_no_writer_unless_a_limit_counts_it);
async fn a_call_with_invented_credentials_takes_no_writer_unless_a_limit_counts_it(db: Database) {
    const LIMIT: usize = 3;
    db.allow_unread_mails();
    let limited = |config: &mut Config| {
        enable_provider(config);
        let limits = &mut config.limits;
        for limit in [
            &mut limits.login_ip, &mut limits.signup_ip, &mut limits.reset_ip,
            &mut limits.confirm_ip, &mut limits.passkey_ip,
        ] {
            *limit = format!("{LIMIT}/h").parse().unwrap();
        }
    };
    let (site, ada) = db.site_with_ada(limited).await;
    let session = ada.browser.cookie("session").unwrap();
    ada.browser.post_empty("/logout").await.assert_empty();

    // Whoever needs the writer now waits for it, and then gets 503.
    let writer = site.app.store.write().await.unwrap();
    let api = routes::all().into_iter().map(async |route| {
        let browser = stranger(&site, &session);
        let response = call(&browser, &route).await;
        (response.status == 503).then_some((browser, route))
    });
    let other = ["userinfo", "logout", "jwks"].map(async |path| {
        let bearer = format!("Bearer {}", invented_secret());
        let request = Request::get(format!("/account/oidc/{path}")).header("authorization", bearer);
        let response = stranger(&site, &session).send(request).await;
        assert_ne!(response.status, 503, "{path}");
    });
    let (waiting, _) = tokio::join!(join_all(api), join_all(other));
    drop(writer);
    let waiting: Vec<_> = waiting.into_iter().flatten().collect();
    assert!(waiting.len() > 10, "the routes that count");
    for (browser, route) in waiting {
        for _ in 0..LIMIT {
            call(&browser, &route).await;
        }
        let refused = call(&browser, &route).await;
        assert_eq!(refused.status, 429, "{route:?}: {}", refused.text());
    }
}
