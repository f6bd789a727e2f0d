//! The mails of a site, as the mailboxes receive them.

use account::testing::outbox::queues;
use account::testing::store::outbox;

use super::Site;

#[derive(Debug, Clone)]
pub struct Mail {
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl Mail {
    /// The first link to one of our pages that has a token.
    #[track_caller]
    pub fn link(&self) -> &str {
        let is_link = |word: &&str| word.starts_with("http") && word.contains("oken=");
        let undo = |word: &&str| word.starts_with("http") && word.contains("undo=");
        let mut words = self.text.split_whitespace();
        let found = words.clone().find(is_link).or_else(|| words.find(undo));
        found.unwrap_or_else(|| panic!("no link with a token in:\n{}", self.text))
    }

    /// The token of that link.
    #[track_caller]
    pub fn token(&self) -> String {
        let (_, token) = self.link().rsplit_once('=').unwrap();
        token.to_owned()
    }

    #[track_caller]
    pub fn assert_subject_contains(&self, part: &str) {
        assert_contains!(self.subject, part);
    }

    pub fn has_token(&self) -> bool {
        self.text.contains("oken=") || self.text.contains("undo=")
    }
}

/// The token of the last mail to `address` whose subject contains these words and that has a link.
#[track_caller]
pub fn last_token_to(mails: &[Mail], address: &str, words: &str) -> String {
    let is_meant =
        |mail: &&Mail| mail.to == address && mail.subject.contains(words) && mail.has_token();
    let all: Vec<_> = mails.iter().map(|mail| (&mail.to, &mail.subject)).collect();
    let found = mails.iter().rfind(is_meant);
    found.unwrap_or_else(|| panic!("{words}: {all:?}")).token()
}

impl Site {
    /// The token of the last such unread mail. Marks all mails as read.
    pub async fn last_token_to(&self, address: &str, words: &str) -> String {
        last_token_to(&self.mails().await, address, words)
    }

    /// The unread mails, oldest first. Marks them as read.
    pub async fn mails(&self) -> Vec<Mail> {
        queues::drain_mails(&self.app).await.unwrap();
        let mut tx = self.app.store.read().await.unwrap();
        let kept = outbox::list_captured(&mut tx, 500).await.unwrap();
        let mut read = self.world.read.lock().unwrap();
        let new = kept.into_iter().rev().filter(|mail| read.insert(mail.id));
        new.map(|mail| Mail {
            to: mail.to,
            subject: mail.subject,
            text: mail.text,
            html: mail.html,
        })
        .collect()
    }

    /// The only unread mail. Asserts that its recipient is this address.
    #[track_caller]
    pub fn mail_to(&self, address: &str) -> impl Future<Output = Mail> {
        let caller = std::panic::Location::caller();
        async move {
            let mut mails = self.mails().await;
            let to: Vec<_> = mails.iter().map(|mail| mail.to.as_str()).collect();
            assert_eq!(to, [address], "exactly one unread mail, at {caller}");
            mails.remove(0)
        }
    }

    /// Asserts that no mail is queued or unread.
    pub async fn assert_all_mails_read(&self) {
        let left: Vec<_> = self.mails().await;
        let left: Vec<_> = left.iter().map(|m| (&m.to, &m.subject)).collect();
        assert!(left.is_empty(), "unread mails: {left:?}");
        assert_eq!(self.count("outbox").await, 0, "unsent mails");
    }
}
