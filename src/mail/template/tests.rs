//! Tests one mail of each kind in every language.

use jiff::ZonedDateTime;

use super::{Lifetime, MailValues, RenderedMail, SenderBrand};
use crate::config::{Accent, Region};
use crate::domain::account_detail::AccountDetail;
use crate::domain::way_in_change::WayInChange;
use crate::i18n::{Language, Message};
use crate::mail::row::ShownDetail;
use crate::mail::{MailDetails, MailKind};
use crate::store::tokens::Purpose;

const BRAND: SenderBrand<'static> = SenderBrand {
    name: "Moonhill",
    accent: Accent::DEFAULT,
    home: "https://moonhill.example/account/",
    contact: Some("https://moonhill.example/contact"),
};
const BUTTON_LINK: &str =
    "https://moonhill.example/account/the-link?email=a%40b.example&token=Zm9v-YmFy_LQ";
const SECOND_LINK: &str = "https://moonhill.example/account/request-password?a=1&b=2";
const HOSTILE_DEVICE: &str = "<img src=x onerror=alert(1)> & \"Bcc\"\r\n'{{brand}}' {% raw %}";

/// The details and the region of a mail.
struct Sample(MailDetails, Region);

impl Sample {
    fn new(device: &str) -> Sample {
        let time: ZonedDateTime = "2026-11-21T14:05:00[America/New_York]".parse().unwrap();
        let at = Some(time.timestamp().as_millisecond());
        let details = MailDetails {
            device: Some(device.to_owned()),
            at,
            new_email: Some("riley@example.com".to_owned()),
            codes_left: Some(9),
            effective_at: at,
            changed: vec![AccountDetail::Username, AccountDetail::FirstName],
            way_in_change: Some(WayInChange::PasskeyAdded),
            ..MailDetails::default()
        };
        Sample(details, Region::default())
    }

    fn values(&self, kind: MailKind) -> MailValues<'_> {
        MailValues {
            username: None,
            button: kind.definition().button.map(|_| BUTTON_LINK),
            second: kind.definition().second_link.map(|_| SECOND_LINK),
            lifetime: kind.purpose().map(|_| Lifetime(1800)),
            details: &self.0,
            queued_at: 0,
            region: &self.1,
        }
    }
}

/// Runs the check on each mail in each language. The check's text argument names the mail in failure messages.
fn check_each_mail(device: &str, check: impl Fn(MailKind, &str, &RenderedMail)) {
    let sample = Sample::new(device);
    for kind in MailKind::ALL {
        for language in Language::ALL {
            let name = format!("{}.{}", kind.as_str(), language.code());
            let mail = sample.values(*kind).render(*kind, language, &BRAND);
            check(*kind, &name, &mail);
        }
    }
}

/// Returns the URL escaped as in an attribute or a text of the HTML part.
fn escaped(address: &str) -> String {
    address.replace('&', "&#38;")
}

#[test]
fn no_placeholder_is_left_in_any_part() {
    check_each_mail("Firefox on Windows", |_, name, mail| {
        for part in [&mail.subject, &mail.text, &mail.html] {
            for leftover in ["{{", "}}", "{%", "%}", "{#"] {
                assert!(!part.contains(leftover), "{name} has {leftover}: {part}");
            }
        }
    });
}

#[test]
fn both_parts_hold_every_link() {
    let sample = Sample::new("");
    check_each_mail("Firefox on Windows", |kind, name, mail| {
        let MailValues { button, second, .. } = sample.values(kind);
        for link in [button, second].into_iter().flatten() {
            assert!(
                mail.text.lines().any(|line| line == link),
                "{name}: {}",
                mail.text
            );
            assert!(
                mail.html.contains(&format!("href=\"{}\"", escaped(link))),
                "{name}"
            );
        }
        for link in [BRAND.home, BRAND.contact.unwrap()] {
            assert!(
                mail.text.contains(link) && mail.html.contains(link),
                "{name}"
            );
        }
    });
}

#[test]
fn the_text_part_stays_within_seventy_columns() {
    check_each_mail("Firefox on Windows", |_, name, mail| {
        let lines = mail.text.lines().filter(|line| !line.contains("https://"));
        for line in lines {
            assert!(line.chars().count() <= 70, "{name}: {line}");
        }
        assert!(!mail.text.contains("\n\n\n"), "{name}: {}", mail.text);
    });
}

#[test]
fn a_subject_is_one_short_line() {
    check_each_mail("Firefox on Windows", |_, name, mail| {
        assert!(!mail.subject.contains(char::is_control), "{name}");
        assert!(
            mail.subject.chars().count() <= 70,
            "{name}: {}",
            mail.subject
        );
    });
}

#[test]
fn html_in_a_device_name_is_escaped() {
    check_each_mail(HOSTILE_DEVICE, |kind, name, mail| {
        assert!(!mail.html.contains("<img"), "{name}");
        if kind.definition().details.contains(&ShownDetail::Device) {
            assert!(
                mail.html
                    .contains("&#60;img src=x onerror=alert(1)&#62; &#38;"),
                "{name}"
            );
            assert!(
                mail.text
                    .contains("<img src=x onerror=alert(1)> & \"Bcc\" "),
                "{name}"
            );
        }
    });
}

#[test]
fn the_html_part_loads_and_runs_nothing() {
    check_each_mail("Firefox on Windows", |_, name, mail| {
        for loader in [
            "src=", "url(", "@import", "<script", "<link", "<form", "<iframe", "onload",
        ] {
            assert!(!mail.html.contains(loader), "{name} has {loader}");
        }
        let language = name.rsplit('.').next().unwrap();
        assert!(
            mail.html.contains(&format!("<html lang=\"{language}\"")),
            "{name}"
        );
    });
}

#[test]
fn the_old_mailbox_never_learns_the_new_address() {
    check_each_mail("Firefox on Windows", |kind, name, mail| {
        let shown = mail.text.contains("r…@e….com") && mail.html.contains("r…@e….com");
        assert_eq!(
            shown,
            kind.definition().details.contains(&ShownDetail::NewAddress),
            "{name}"
        );
        assert!(!format!("{mail:?}").contains("riley"), "{name}");
    });
}

#[test]
fn a_brand_without_a_contact_page_has_no_empty_line_for_it() {
    let brand = SenderBrand {
        contact: None,
        ..BRAND
    };
    let kind = MailKind::EmailAddressTaken;
    let mail = Sample::new("")
        .values(kind)
        .render(kind, Language::En, &brand);
    assert!(!mail.text.contains("Questions?") && !mail.html.contains("Questions?"));
    assert!(
        mail.text
            .ends_with("account.\nhttps://moonhill.example/account/\n"),
        "{}",
        mail.text
    );
}

#[test]
fn a_mail_greets_by_username_if_it_is_known() {
    let sample = Sample::new("");
    for (language, greeting) in [
        (Language::En, "Hi riley,"),
        (Language::De, "Hallo riley,"),
        (Language::Es, "¡Hola, riley!"),
        (Language::Pt, "Olá, riley!"),
    ] {
        let kind = MailKind::PasswordChanged;
        let values = MailValues {
            username: Some("riley"),
            ..sample.values(kind)
        };
        let mail = values.render(kind, language, &BRAND);
        assert!(mail.text.starts_with(greeting), "{}", mail.text);
        assert!(mail.html.contains(greeting), "{}", mail.html);
    }
}

#[test]
fn bad_news_ends_without_a_cheerful_closing() {
    let sample = Sample::new("");
    let is_bad_news = |kind: &&MailKind| {
        let mail = sample.values(**kind).render(**kind, Language::En, &BRAND);
        let closings = ["See you soon!", "Take care,"].map(|closing| mail.text.contains(closing));
        assert_ne!(closings[0], closings[1], "{kind:?}");
        closings[1]
    };
    let bad_news: Vec<_> = MailKind::ALL.iter().filter(is_bad_news).collect();
    assert_eq!(
        bad_news,
        [
            &MailKind::PasswordEnded,
            &MailKind::PasskeyRemoved,
            &MailKind::PasskeyRejected,
            &MailKind::SecondFactorDisabled,
            &MailKind::SecondFactorResetRequested,
            &MailKind::SecondFactorResetReminder,
            &MailKind::SecondFactorResetOfFormerAddress,
            &MailKind::SupportRoleEnded,
            &MailKind::AccountDisabled,
            &MailKind::DeletionRequested,
            &MailKind::DeletionReminder,
            &MailKind::DeletionOfFormerAddress,
            &MailKind::DeletionOfFormerAddressReminder,
            &MailKind::DeletionPending,
            &MailKind::InactiveAccount,
            &MailKind::InactivityOfFormerAddress,
            &MailKind::WayInChangedOfFormerAddress,
            &MailKind::EmailRemoved,
        ]
    );
}

#[test]
fn a_mail_is_complete_as_plain_text() {
    let sample = Sample::new("Firefox on Windows");
    let kind = MailKind::ApproveDevice;
    let mail = sample.values(kind).render(kind, Language::En, &BRAND);
    let text = mail.text;
    assert!(
        text.contains("\n-- \n"),
        "readers know a signature by its trailing space"
    );
    insta::assert_snapshot!(text.replace("-- \n", "--\n"), @r"
    Hi there,

    Someone who knows your password tried to sign in to your account from
    a device we haven’t seen before. If it was you, let yourself in.

    Device: Firefox on Windows
    Time: November 21, 2026, 2:05 PM EST

    Check this sign-in:
    https://moonhill.example/account/the-link?email=a%40b.example&token=Zm9v-YmFy_LQ

    The link works for 30 minutes.

    Wasn’t you? Then follow the link anyway and say no: that blocks the
    device and ends every session. After that, choose a new password,
    because someone knows the old one.

    See you soon!
    Your Moonhill crew

    --
    You’re getting this email because your Moonhill account asks you
    before it lets a new device in.
    Questions? We’re here: https://moonhill.example/contact
    https://moonhill.example/account/
    ");
}

#[test]
fn a_mail_about_a_deletion_names_the_deletion_beside_its_date() {
    check_each_mail("Firefox on Windows", |kind, name, mail| {
        let (_, code) = name.rsplit_once('.').unwrap();
        let language = Language::from_code(code).unwrap();
        let details = kind.definition().details;
        for (detail, label) in [
            (ShownDetail::EffectiveAt, Message::MailFrameEffectiveAt),
            (ShownDetail::DeletionAt, Message::MailFrameDeletionAt),
        ] {
            let label = format!("{}: ", label.text(language));
            assert_eq!(
                mail.text.contains(&label),
                details.contains(&detail),
                "{name}"
            );
        }
        let is_about_deletion = kind.purpose() == Some(Purpose::AccountRestore)
            || matches!(
                kind,
                MailKind::InactiveAccount
                    | MailKind::InactivityOfFormerAddress
                    | MailKind::DeletionOfFormerAddress
                    | MailKind::DeletionOfFormerAddressReminder
            );
        assert_eq!(
            details.contains(&ShownDetail::DeletionAt),
            is_about_deletion,
            "{name}"
        );
    });
}
