use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::*;

fn bounce(email: &str, status: &str) -> Bounce {
    bounce_of(&[email], status)
}

fn bounce_of(emails: &[&str], status: &str) -> Bounce {
    Bounce {
        emails: emails.iter().map(ToString::to_string).collect(),
        status: EnhancedStatus::parse(status),
    }
}

const NOTIFICATION: &str = "From: MAILER-DAEMON@mx.example.org\r\n\
    Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n--b\r\n\
    Content-Type: text/plain\r\n\r\nYour mail was not delivered.\r\n\r\n--b\r\n\
    Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n\r\n\
    Final-Recipient: rfc822; ada@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n\
    Original-Recipient: rfc822;Bob@Example.org\r\nFinal-Recipient: rfc822; b@other.example\r\n\
    Action: Failed\r\nStatus: 5.2.1 (mailbox disabled)\r\n\r\n\
    Final-Recipient: rfc822; later@example.org\r\nAction: delayed\r\nStatus: 4.4.1\r\n\r\n--b--\r\n";

#[test]
fn failures_of_a_notification_are_found() {
    assert_eq!(
        parse(NOTIFICATION).unwrap(),
        [
            bounce("ada@example.org", "5.1.1"),
            bounce_of(&["Bob@Example.org", "b@other.example"], "5.2.1"),
        ]
    );
}

/// The fields about the recipients of a notification, with a line for each failure: its addresses and its status.
const RECIPIENTS: &[(&str, &str)] = &[
    // Angle brackets.
    (
        "Final-Recipient: rfc822; <ann@b.example.com>\nAction: failed\nStatus: 5.1.1",
        "ann@b.example.com 5.1.1",
    ),
    // Folded fields.
    (
        "Final-Recipient: rfc822;\n  ann@b.example.com\nAction:\n\tfailed\nStatus:\n 5.1.1",
        "ann@b.example.com 5.1.1",
    ),
    // The fields contain nested comments (RFC 5322, section 3.2.2), or a comment before the value.
    (
        "Final-Recipient: (a (nested) one) rfc822 (type); ann@b.example.com (Ann)\nAction: failed (for good)\nStatus: (bad) 5.1.1 (no; such, user)",
        "ann@b.example.com 5.1.1",
    ),
    // A field has several recipients, one of them with a display name.
    (
        "Final-Recipient: rfc822; a@b.example.com, Bob <b@b.example.com>\nAction: failed\nStatus: 5.1.1",
        "a@b.example.com 5.1.1\nb@b.example.com 5.1.1",
    ),
    // Postfix.
    (
        "Final-Recipient: rfc822; ann@b.example.com\nOriginal-Recipient: rfc822;ann@b.example.com\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.b.example.com\nDiagnostic-Code: smtp; 550 5.1.1 <ann@b.example.com>: Recipient address\n    rejected: User unknown in virtual mailbox table",
        "ann@b.example.com 5.1.1",
    ),
    // Exim.
    (
        "Action: failed\nFinal-Recipient: rfc822;ann@b.example.com\nStatus: 5.0.0\nRemote-MTA: dns; mx.b.example.com\nDiagnostic-Code: smtp; 550-5.1.1 The account\n 550 5.1.1 does not exist",
        "ann@b.example.com 5.1.1",
    ),
    (
        "Action: failed\nFinal-Recipient: rfc822;ann@b.example.com\nStatus: 5.0.0",
        "ann@b.example.com 5.0.0",
    ),
    // Exchange.
    (
        "Final-Recipient: rfc822;ann@b.example.com\nAction: failed\nStatus: 5.1.10\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup\nX-Display-Name: Ann",
        "ann@b.example.com 5.1.10",
    ),
    // A mail service.
    (
        "Original-Recipient: rfc822;ann@b.example.com\nFinal-Recipient: rfc822;ann@b.example.com\nAction: failed\nDiagnostic-Code: smtp; 550 5.7.1 blocked\nStatus: 5.7.1",
        "ann@b.example.com 5.7.1",
    ),
    // The status is only in the diagnostic code, or nowhere.
    (
        "Final-Recipient: rfc822; ann@b.example.com\nAction: failed\nDiagnostic-Code: SMTP; 550 5.1.1 User unknown",
        "ann@b.example.com 5.1.1",
    ),
    (
        "Final-Recipient: rfc822; ann@b.example.com\nAction: failed\nDiagnostic-Code: SMTP; 550 User unknown",
        "ann@b.example.com none",
    ),
    // The original recipient is no address.
    (
        "Original-Recipient: rfc822; undisclosed-recipients:;\nFinal-Recipient: rfc822; ann@b.example.com\nAction: failed\nStatus: 5.1.1",
        "undisclosed-recipients:; ann@b.example.com 5.1.1",
    ),
    // No empty line separates the recipients.
    (
        "Final-Recipient: rfc822; a@b.example.com\nAction: failed\nStatus: 5.1.1\nFinal-Recipient: rfc822; b@b.example.com\nAction: failed\nStatus: 5.2.1\nAction: failed\nFinal-Recipient: rfc822; c@b.example.com\nStatus: 5.7.1",
        "a@b.example.com 5.1.1\nb@b.example.com 5.2.1\nc@b.example.com 5.7.1",
    ),
    (
        "Final-Recipient: rfc822; a@b.example.com\nFinal-Recipient: rfc822; b@b.example.com\nFinal-Recipient: rfc822; c@b.example.com\nAction: failed\nStatus: 5.1.1",
        "a@b.example.com 5.1.1\nb@b.example.com 5.1.1\nc@b.example.com 5.1.1",
    ),
    // An address that is not ASCII (RFC 6533).
    (
        "Final-Recipient: utf-8; jos\\x{E9}@b.example.com\nAction: failed\nStatus: 5.1.1",
        "jos\u{e9}@b.example.com 5.1.1",
    ),
    (
        "Final-Recipient: utf-8; a\\x{110000}b\\x{4e00@b.example.com\nAction: failed\nStatus: 5.1.1",
        "a\\x{110000}b\\x{4e00@b.example.com 5.1.1",
    ),
    // A delayed delivery is no failure.
    (
        "Final-Recipient: rfc822; ann@b.example.com\nAction: delivered\nStatus: 2.0.0",
        "",
    ),
    (
        "Final-Recipient: rfc822; ann@b.example.com\nAction: delayed\nStatus: 4.4.1",
        "",
    ),
];

#[test]
fn fields_are_read_as_mail_servers_write_them() {
    for (fields, failures) in RECIPIENTS {
        let failures = failures.lines().map(|failure| {
            let (emails, status) = failure.rsplit_once(' ').unwrap();
            bounce_of(&emails.split(' ').collect::<Vec<_>>(), status)
        });
        let expected: Vec<_> = failures.collect();
        for line_end in ["\n", "\r\n"] {
            let mail = format!("Reporting-MTA: dns; mx.example.org\n\n{fields}\n\n--b--\n");
            let mail = mail.replace('\n', line_end);
            assert_eq!(parse(&mail).as_ref(), Ok(&expected), "{mail}");
        }
    }
}

#[test]
fn encoded_parts_are_decoded() {
    let fields = "Reporting-MTA: dns; mx.example.org\r\n\r\nFinal-Recipient: rfc822; ann@b.example.com\r\n\
        Action: failed\r\nStatus: 5.1.1\r\n";
    let base64 = STANDARD.encode(fields);
    let (first, second) = base64.split_at(76);
    let quoted = fields
        .replace("ann@", "=61n=\r\nn=40")
        .replace("Status: ", "Status:=20");
    for (encoding, body) in [
        ("base64", format!("{first}\r\n{second}")),
        ("BASE64 (all of it)", base64.clone()),
        ("quoted-printable", quoted),
        ("7bit", fields.to_owned()),
    ] {
        for end in ["\r\n--b--\r\n", ""] {
            let mail = format!(
                "Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
                 Content-Type: message/delivery-status\r\n\
                 Content-Transfer-Encoding: {encoding}\r\n\r\n{body}{end}"
            );
            let expected = [bounce("ann@b.example.com", "5.1.1")];
            assert_eq!(parse(&mail).unwrap(), expected, "{mail}");
        }
    }
    // A part that is not in the encoding that it names.
    let mail = format!("Content-Transfer-Encoding: base64\n\n{fields}");
    assert_eq!(
        parse(&mail).unwrap(),
        [bounce("ann@b.example.com", "5.1.1")]
    );
}

#[test]
fn json_lines_are_read() {
    let text = "{\"email\":\"ada@example.org\",\"status\":\"5.1.1\",\"at\":\"2026\"}\n\n\
        {\"email\":\"bob@example.org\",\"status\":\"2.0.0\"}\n";
    let expected = [bounce("ada@example.org", "5.1.1")];
    assert_eq!(parse(text).unwrap(), expected);
    let with_mark = format!("\u{feff}{text}");
    assert_eq!(parse(&with_mark).unwrap(), expected);
    let without_status = "{\"email\":\"ada@example.org\",\"status\":\"unknown\"}";
    let expected = [bounce("ada@example.org", "none")];
    assert_eq!(parse(without_status).unwrap(), expected);
}

#[test]
fn other_files_are_refused() {
    for text in ["", "Dear all,\n\nhello: world\n", "{\"email\": 5}"] {
        assert!(parse(text).is_err(), "{text}");
    }
}
