//! Delivery status notifications (RFC 3464), as mail servers write them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Bounce;
use crate::domain::enhanced_status::EnhancedStatus;

/// The fields of one per-recipient group in a delivery status notification (RFC 3464 section 2.3).
#[derive(Default)]
struct RecipientFields {
    /// The email addresses that the mail was sent to. These original addresses take precedence over the final
    /// addresses, to which a server may have forwarded the mail; but a server may write no usable original address.
    original: Vec<String>,
    final_: Vec<String>,
    action: String,
    status: String,
    diagnostic: String,
}

impl RecipientFields {
    /// Returns whether a field of this name begins the group of another recipient. Some servers write no empty line
    /// between the groups.
    fn is_complete_before(&self, field: &str) -> bool {
        let has_result = !self.action.is_empty() || !self.status.is_empty();
        match field {
            "final-recipient" => has_result && !self.final_.is_empty(),
            "original-recipient" => has_result && !self.original.is_empty(),
            "action" => !self.action.is_empty(),
            _ => false,
        }
    }

    /// Returns a bounce for each failed recipient, or `None` if the fields are not about a recipient.
    fn into_bounces(self) -> Option<Vec<Bounce>> {
        let count = self.original.len().max(self.final_.len());
        if count == 0 {
            return None;
        }
        if !self.action.eq_ignore_ascii_case("failed") {
            return Some(Vec::new());
        }
        // Exim reports 5.0.0 for every failure, and repeats the response of the recipient's server.
        let status = find_status(&self.status);
        let says_nothing = status.is_none_or(|status| status.to_string() == "5.0.0");
        let diagnostic = find_status(&self.diagnostic).filter(|_| says_nothing);
        let status = diagnostic.or(status).filter(|status| status.is_failure());
        let bounces = (0..count).map(|at| {
            let final_ = match self.final_.as_slice() {
                [only] => Some(only),
                several => several.get(at),
            };
            let emails = self.original.get(at).into_iter().chain(final_);
            let mut emails: Vec<String> = emails.cloned().collect();
            emails.dedup();
            Bounce { emails, status }
        });
        Some(bounces.collect())
    }
}

/// Finds the groups of fields about recipients anywhere in the text.
pub(super) fn parse_notifications(text: &str) -> Result<Vec<Bounce>, String> {
    let (mut found, mut has_groups) = (Vec::new(), false);
    let mut group = RecipientFields::default();
    let mut end_group = |group: RecipientFields| {
        if let Some(bounces) = group.into_bounces() {
            has_groups = true;
            found.extend(bounces);
        }
    };
    for line in unfold_lines(&decode_parts(text)) {
        let Some((name, value)) = line.split_once(':') else {
            // An empty line ends the group of fields.
            if line.trim().is_empty() {
                end_group(std::mem::take(&mut group));
            }
            continue;
        };
        let name = name.trim().to_ascii_lowercase();
        if group.is_complete_before(&name) {
            end_group(std::mem::take(&mut group));
        }
        match &*name {
            "final-recipient" => group.final_.extend(recipient_addresses(value)),
            "original-recipient" => group.original.extend(recipient_addresses(value)),
            "action" => strip_comments(value).trim().clone_into(&mut group.action),
            "status" => group.status = strip_comments(value),
            "diagnostic-code" => value.clone_into(&mut group.diagnostic),
            _ => {}
        }
    }
    end_group(group);
    match has_groups {
        false => Err(
            "neither delivery status notifications (RFC 3464) nor JSON lines with email and status"
                .to_owned(),
        ),
        true => Ok(found),
    }
}

/// Joins the lines of folded fields (RFC 5322 section 2.2.3). A line with only white space ends a group of fields,
/// because some servers write such lines.
fn unfold_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_continuation = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match lines.last_mut() {
            Some(field) if is_continuation && !field.trim().is_empty() => field.push_str(line),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Returns the email addresses in a recipient field such as `rfc822; ann@example.org` or `rfc822;<ann@example.org>`.
fn recipient_addresses(value: &str) -> Vec<String> {
    let value = strip_comments(value);
    let list = value.split_once(';').map_or(&*value, |(_, list)| list);
    let all = list.split(',').map(|address| {
        // A display name may precede an email address in angle brackets.
        let address = address.rsplit_once('<').map_or(address, |(_, rest)| rest);
        address.split('>').next().unwrap_or_default().trim()
    });
    all.filter(|address| !address.is_empty())
        .map(decode_characters)
        .collect()
}

/// Removes comments, which may be nested (RFC 5322 section 3.2.2). Text in quotes contains no comments.
fn strip_comments(value: &str) -> String {
    let (mut kept, mut depth, mut is_quoted) = (String::new(), 0_usize, false);
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        let escaped = if char == '\\' { chars.next() } else { None };
        match char {
            '"' if depth == 0 => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            kept.push(char);
            kept.extend(escaped);
        }
    }
    kept
}

/// Decodes `\x{E9}`, which is one character of an email address that is not ASCII (RFC 6533 section 3).
fn decode_characters(address: &str) -> String {
    let mut parts = address.split("\\x{");
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let char = part.split_once('}').and_then(|(digits, rest)| {
            let char = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((char, rest))
        });
        match char {
            Some((char, rest)) => {
                decoded.push(char);
                decoded.push_str(rest);
            }
            None => decoded.extend(["\\x{", part]),
        }
    }
    decoded
}

/// Returns the earliest enhanced status code in a text.
pub(super) fn find_status(text: &str) -> Option<EnhancedStatus> {
    let mut words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.find_map(EnhancedStatus::parse)
}

/// Decodes the parts of MIME messages that are in base64 or quoted-printable (RFC 2045 section 6). Other lines stay as
/// they are.
fn decode_parts(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut decode: Option<fn(&str) -> Vec<u8>> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        decoded.push_str(line);
        decoded.push('\n');
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-transfer-encoding") => {
                decode = match strip_comments(value).trim().to_ascii_lowercase().as_str() {
                    "base64" => Some(decode_base64),
                    "quoted-printable" => Some(decode_quoted_printable),
                    _ => None,
                };
            }
            None if line.is_empty() => {
                if let Some(decode) = decode.take() {
                    let mut body = String::new();
                    while let Some(line) = lines.next_if(|line| !line.starts_with("--")) {
                        body.push_str(line);
                        body.push('\n');
                    }
                    decoded.push_str(&String::from_utf8_lossy(&decode(&body)));
                    decoded.push('\n');
                }
            }
            _ => {}
        }
    }
    decoded
}

/// Decodes base64. A text that is no base64 stays as it is.
fn decode_base64(body: &str) -> Vec<u8> {
    let data: String = body.split_whitespace().collect();
    STANDARD.decode(data).unwrap_or_else(|_| body.into())
}

/// Decodes quoted-printable. An equals sign without two hexadecimal digits stays as it is.
fn decode_quoted_printable(body: &str) -> Vec<u8> {
    let joined = body.replace("=\n", "");
    let mut bytes = Vec::with_capacity(joined.len());
    let mut rest = joined.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'=');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    bytes
}
