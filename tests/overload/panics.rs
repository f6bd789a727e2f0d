//! A panic in one request: a 500 for it, and no effect on others.

use account::app::SharedApp;
use account::http::router;
use account::http::site;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::post;
use tower::ServiceExt;

use crate::prelude::*;

on_both_databases!(a_panicking_handler_is_500_and_rolls_back);

/// Panics while a transaction with a change is open.
async fn panics(State(app): State<SharedApp>) {
    let mut tx = app.store.write().await.unwrap();
    tx.execute("DELETE FROM accounts", &[]).await.unwrap();
    panic!("a mistake");
}

// security: FI-12, LG-5
async fn a_panicking_handler_is_500_and_rolls_back((site, ada): (Site, Person)) {
    let with_it = Router::new().route("/account/account-api/panics", post(panics));
    let site_with_it =
        router::add_middleware(with_it, site::Site::build(site.app.clone()).unwrap());
    for _ in 0..20 {
        let request = Request::post("/account/account-api/panics")
            .header("host", "localhost")
            .body(Body::empty());
        let response = site_with_it
            .clone()
            .oneshot(request.unwrap())
            .await
            .unwrap();
        assert_refused!(Response::read(response), Internal);
    }
    ada.assert_signed_in(&ada.browser).await;
    let email = json!({"email": "ada2@example.org"});
    assert_status!(ada.browser.post("/change-email", &email), 200);
    site.mail_to("ada2@example.org").await;
}
