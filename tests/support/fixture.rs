//! What a test begins with: the type of its parameter.

use super::{Browser, Database, Person, Site};
use crate::second_factor::{PersonWithSecondFactor, person_with_second_factor};
use crate::wire::LiveSite;

pub trait Fixture {
    async fn of(db: &Database) -> Self;
}

impl Fixture for Database {
    async fn of(db: &Database) -> Database {
        db.clone()
    }
}

impl Fixture for Site {
    async fn of(db: &Database) -> Site {
        db.site().await
    }
}

/// For a test that is not about mails.
pub struct UnreadMails<T>(pub T);

impl<T: Fixture> Fixture for UnreadMails<T> {
    async fn of(db: &Database) -> UnreadMails<T> {
        db.allow_unread_mails();
        UnreadMails(T::of(db).await)
    }
}

/// A site that limits no requests.
pub struct Unlimited(pub Site);

impl Fixture for Unlimited {
    async fn of(db: &Database) -> Unlimited {
        Unlimited(db.site_without_limits().await)
    }
}

impl Fixture for LiveSite {
    async fn of(db: &Database) -> LiveSite {
        db.live_site().await
    }
}

/// A visitor of a site.
impl Fixture for Browser {
    async fn of(db: &Database) -> Browser {
        db.site().await.browser()
    }
}

/// A site, and the signed-in person `ada`.
impl Fixture for (Site, Person) {
    async fn of(db: &Database) -> (Site, Person) {
        db.site_with_ada(|_| {}).await
    }
}

/// A site, and the person `ada`, who has an account but no session.
pub struct Member(pub Site, pub Person);

impl Fixture for Member {
    async fn of(db: &Database) -> Member {
        let site = db.site().await;
        let ada = site.member("ada").await;
        Member(site, ada)
    }
}

impl Fixture for (Site, PersonWithSecondFactor) {
    async fn of(db: &Database) -> (Site, PersonWithSecondFactor) {
        let site = db.site().await;
        let ada = person_with_second_factor(&site, "ada").await;
        (site, ada)
    }
}
