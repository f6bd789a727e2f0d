//! People: their input, and the state of their accounts.

use serde_json::{Value, json};

use super::{Browser, Site};

/// A registration that follows every rule.
pub(crate) fn form(name: &str) -> Value {
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
pub(crate) const PASSWORD: &str = "Lemon-Tree-42";

/// `form` with some fields changed; `null` removes a field.
pub(crate) fn form_with(name: &str, changes: &Value) -> Value {
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

/// A person with an account, and the browser that registered it.
pub(crate) struct Person {
    pub name: String,
    pub email: String,
    pub browser: Browser,
}

impl Person {
    /// The account as sign-in and registration return it.
    pub(crate) fn me(&self) -> Value {
        json!({"email": self.email, "username": self.name})
    }

    /// The account as `users/me` returns it, with the id from the database.
    pub(crate) async fn user(&self) -> Value {
        self.browser.site.user(&self.name).await
    }

    pub(crate) fn credentials(&self) -> Value {
        json!({"email": self.email, "password": PASSWORD})
    }

    /// A new browser of the same person, without cookies.
    pub(crate) fn new_browser(&self) -> Browser {
        self.browser.site.browser()
    }

    #[track_caller]
    pub(crate) fn credentials_with(&self, password: &str) -> Value {
        json!({"email": self.email, "password": password})
    }
}

impl Site {
    /// The account with this username as `users/me` returns it.
    pub(crate) async fn user(&self, username: &str) -> Value {
        let sql = "SELECT id, email FROM accounts WHERE username = $1";
        let rows = self.rows(sql, account::params![username]).await;
        let (id, email): (uuid::Uuid, String) = (rows[0].get(0), rows[0].get(1));
        json!({"id": id, "email": email, "username": username})
    }

    /// A registered person whose address is not verified, and the token of the link.
    pub(crate) async fn registered(&self, name: &str) -> (Person, String) {
        let person = Person {
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            browser: self.browser(),
        };
        let response = person.browser.post("/register", &form(name)).await;
        response.assert_json(201, &person.me());
        let token = self.mail_to(&person.email).await.token();
        (person, token)
    }

    /// A person with a verified address who is not signed in.
    pub(crate) async fn member(&self, name: &str) -> Person {
        let (person, token) = self.registered(name).await;
        let path = format!("/confirm-email?token={token}");
        assert_eq!(person.browser.get(&path).await.status, 200);
        person
    }

    /// A person who is signed in.
    pub(crate) async fn signed_in(&self, name: &str) -> Person {
        let person = self.member(name).await;
        let response = person.browser.post("/login", &person.credentials()).await;
        response.assert_json(200, &person.me());
        person
    }
}
