//! People: their input, and the state of their accounts.

use account::testing::people::{self, NewPerson};
use axum::http::Method;
use serde_json::{Value, json};

use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use super::mails::Mail;
use super::{Browser, Response, Site};

/// A registration that follows every rule.
pub fn form(name: &str) -> Value {
    json!({
        "email": format!("{name}@example.org"),
        "username": name,
        "password": PASSWORD,
        "country": "us",
        "zipcode": "90210",
        "birthday_day": 5,
        "birthday_month": 7,
        "birthday_year": 1990,
        "marketing_consent": false,
    })
}

/// The password of every person.
pub const PASSWORD: &str = "Lemon-Tree-42";

/// `form` with some fields changed; `null` removes a field.
pub fn form_with(name: &str, changes: &Value) -> Value {
    let mut form = form(name);
    for (key, value) in changes.as_object().unwrap() {
        if value.is_null() {
            form.as_object_mut().unwrap().remove(key);
        } else {
            form[key] = value.clone();
        }
    }
    form
}

impl Browser {
    /// Registers with some fields changed.
    pub async fn register(&self, name: &str, changes: &Value) -> Response {
        self.post("/register", &form_with(name, changes)).await
    }
}

/// A person with an account, and the browser that registered it.
pub struct Person {
    pub name: String,
    pub email: String,
    pub browser: Browser,
}

impl Person {
    /// The account as sign-in and registration return it.
    pub fn me(&self) -> Value {
        json!({"email": self.email, "username": self.name})
    }

    /// The account as `users/me` returns it, with the id from the database.
    pub async fn user(&self) -> Value {
        self.browser.site.user(&self.name).await
    }

    /// The only unread mail, which must be to this person.
    #[track_caller]
    pub fn mail(&self) -> impl Future<Output = Mail> {
        self.browser.site.mail_to(&self.email)
    }

    pub fn credentials(&self) -> Value {
        json!({"email": self.email, "password": PASSWORD})
    }

    /// A new browser of the same person, without cookies.
    pub fn new_browser(&self) -> Browser {
        self.browser.site.browser()
    }

    /// Signs in in this browser, which is or becomes one of the person's devices.
    pub async fn sign_in(&self, browser: &Browser) {
        self.sign_in_with(browser, PASSWORD).await;
    }

    pub async fn sign_in_with(&self, browser: &Browser, password: &str) {
        assert_json!(browser.try_sign_in(&self.email, password), 200, &self.me());
    }

    /// Sends the right email address and password.
    pub async fn try_sign_in(&self, browser: &Browser) -> Response {
        browser.try_sign_in(&self.email, PASSWORD).await
    }

    /// Asserts that a sign-in in this browser needs an approval by mail.
    pub async fn assert_needs_approval(&self, browser: &Browser) {
        assert_refused!(self.try_sign_in(browser), NewDevice);
    }

    /// Asserts that this browser has a live session of the person.
    pub async fn assert_signed_in(&self, browser: &Browser) {
        assert_json!(browser.get("/users/me"), 200, &self.user().await);
    }

    /// Asserts that the person's own browser has a live session.
    pub async fn assert_still_signed_in(&self) {
        self.assert_signed_in(&self.browser).await;
    }

    pub fn credentials_with(&self, password: &str) -> Value {
        json!({"email": self.email, "password": password})
    }

    /// The token of that mail.
    #[track_caller]
    pub fn mailed_token(&self) -> impl Future<Output = String> {
        let mail = self.mail();
        async { mail.await.token() }
    }

    /// Requests a new password in this browser. Returns the token of the mailed link.
    pub async fn reset_token(&self, browser: &Browser) -> String {
        browser.request_reset(&self.email).await;
        self.mailed_token().await
    }
}

impl Site {
    /// Stores an act that waits for an account until `due_at`.
    pub async fn insert_act(&self, username: &str, act: &str, number: i64, due_at: i64) {
        let sql = "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
                   SELECT id, $1, $2, $3, $4 FROM accounts WHERE username = $5";
        let values = account::params![act, number, self.now(), due_at, username];
        self.execute(sql, values).await;
    }

    /// The account with this username as `users/me` returns it.
    pub async fn user(&self, username: &str) -> Value {
        let sql = "SELECT id, email FROM accounts WHERE username = $1";
        let rows = self.rows(sql, account::params![username]).await;
        let (id, email): (uuid::Uuid, String) = (rows[0].get(0), rows[0].get(1));
        json!({"id": id, "email": email, "username": username})
    }

    /// A person without an account yet.
    pub fn person(&self, name: &str) -> Person {
        Person {
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            browser: self.browser(),
        }
    }

    /// A registered person whose address is not verified, and the token of the link.
    pub async fn registered(&self, name: &str) -> (Person, String) {
        let person = self.person(name);
        let response = person.browser.post("/register", &form(name)).await;
        response.assert_json(201, &person.me());
        let token = self.mail_to(&person.email).await.token();
        (person, token)
    }

    /// Registers a person and verifies the email address over HTTP. For tests of the mails, tokens, counters and log
    /// lines that these requests leave.
    pub async fn joined(&self, name: &str) -> Person {
        let (person, token) = self.registered(name).await;
        assert_status!(person.browser.confirm_email(&token), 200);
        person
    }

    /// Registers, verifies and signs in a person over HTTP.
    pub async fn joined_and_signed_in(&self, name: &str) -> Person {
        let person = self.joined(name).await;
        person.sign_in(&person.browser).await;
        person
    }

    /// Inserts the rows of a person with a verified email address and without a session.
    pub async fn member(&self, name: &str) -> Person {
        self.insert_person(name, false).await
    }

    /// Inserts the rows of a signed-in person.
    pub async fn signed_in(&self, name: &str) -> Person {
        self.insert_person(name, true).await
    }

    async fn insert_person(&self, name: &str, is_signed_in: bool) -> Person {
        let person = self.person(name);
        let new = NewPerson {
            email: &person.email,
            username: name,
            password: PASSWORD,
            is_signed_in,
        };
        let browser = &person.browser;
        let (request, _) = browser
            .request(browser.fetch(Method::POST, "/login"), String::new())
            .into_parts();
        // Without the log lines, which belong to requests.
        let inserted = people::insert(&self.app, &request, &new);
        let cookies = inserted.with_subscriber(NoSubscriber::default()).await;
        for (name, value) in cookies.expect("a new person") {
            browser.set_cookie(name, &value);
        }
        person
    }
}
