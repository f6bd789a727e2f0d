//! Timing reveals nothing either: medians differ by at most 2 ms or 5 %, and a guess from the duration is no better
//! than chance. Measured over the real listener, while the mail worker runs.
//!
//! Load of the machine can push one measurement over the limit; a real difference shows in each of three, of which
//! each has more samples.

use account::config::Profile;

use super::measure::{assert_even, measure_interleaved};
use super::people::People;
use super::routes::{self, Route};
use crate::support::database::Kind;
use crate::support::prelude::*;

async fn assert_route_even(live: &LiveSite, people: &People, route: &Route<'_>, rounds: u32) {
    assert_even(route.path, rounds, async |rounds| {
        let mut client = live.client().await;
        if route.signed_in {
            let session = people.v.browser.cookie("session").unwrap();
            client.headers += &format!("Cookie: session={session}\r\n");
        }
        measure_interleaved(&mut client, route.path, &route.classes, rounds).await
    })
    .await;
}

pub async fn strict(db: &Database, cheap: bool) -> (LiveSite, People) {
    db.allow_unread_mails();
    let live = db
        .live_site_with(|config| {
            config.security.profile = Profile::Strict;
            config.limits.enabled = false;
            if !cheap {
                config.password = account::config::Config::default().password;
            }
        })
        .await;
    let people = People::create(&live.site).await;
    (live, people)
}

// security: EN-8
// Only on PostgreSQL, the slower database: the hash is the same on both.
on_postgres!(a_wrong_password_takes_as_long_at_the_real_cost);
async fn a_wrong_password_takes_as_long_at_the_real_cost(db: Database) {
    let (live, people) = strict(&db, false).await;
    let mut route = routes::sign_in(&people);
    route.classes.retain(|(name, _)| ["V", "X"].contains(name));
    assert_route_even(&live, &people, &route, 50).await;
}

on_both_databases!(requests_take_the_same_time_for_known_and_unknown_addresses);
// security: EN-4, EN-5, EN-8
async fn requests_take_the_same_time_for_known_and_unknown_addresses(db: Database) {
    let (live, people) = strict(&db, true).await;
    let rounds = match db.kind() {
        Kind::Sqlite => 240,
        Kind::Postgres => 100,
    };
    // The routes run concurrently, because each of them mostly waits.
    let mut routes = routes::uniform_routes(&people);
    let mut sign_in = routes::sign_in(&people);
    sign_in
        .classes
        .retain(|(name, _)| ["V", "L", "X"].contains(name));
    routes.push(sign_in);
    let all = routes
        .iter()
        .map(|route| assert_route_even(&live, &people, route, rounds));
    join_all(all).await;
}
