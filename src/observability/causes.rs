//! Formats an error with all its causes in one line. Many libraries print only the outermost error, which often names
//! no reason ("db error"), because the reason is in the source of the error.

use std::error::Error;

use crate::config::mask_text;

/// Returns `error` and its sources, outermost first.
pub(crate) fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Returns the texts of `error` and its sources, outermost first, without credentials and without the row values that a
/// database repeats.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut line = String::new();
    for error in chain(error) {
        let text = text_without_cause(error);
        // Many libraries include the source of an error in the text of the error.
        if !text.is_empty() && !line.contains(&text) {
            if !line.is_empty() {
                line.push_str(": ");
            }
            line.push_str(&text);
        }
    }
    mask_text(&line)
}

fn text_without_cause(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<tokio_postgres::error::DbError>() {
        // PostgreSQL's error details are left out, because they repeat values of the row, such as an email address.
        return format!("{}: {}", error.code().code(), error.message());
    }
    let text = error.to_string();
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns a description of the certificate problem, if one caused `error`.
pub(crate) fn certificate_problem(error: &(dyn Error + 'static)) -> Option<String> {
    chain(error).find_map(|error| match tls_error(error) {
        Some(rustls::Error::InvalidCertificate(problem)) => Some(describe_problem(problem)),
        _ => None,
    })
}

/// Returns the error of the TLS library, also if an I/O error contains it without returning it as its source.
pub(crate) fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(error);
    }
    let error = error.downcast_ref::<std::io::Error>()?;
    error.get_ref()?.downcast_ref::<rustls::Error>()
}

fn describe_problem(problem: &rustls::CertificateError) -> String {
    use rustls::CertificateError as Problem;
    match problem {
        Problem::UnknownIssuer => "it was issued by an unknown authority".to_owned(),
        Problem::NotValidForName | Problem::NotValidForNameContext { .. } => {
            "it is for another host name".to_owned()
        }
        Problem::Expired | Problem::ExpiredContext { .. } => "it has expired".to_owned(),
        Problem::NotValidYet | Problem::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    #[test]
    fn each_cause_is_in_the_line_once_without_credentials() {
        let innermost = Layer {
            text: "no route to postgres://me:s3cret@db/a",
            source: None,
        };
        let repeated = Layer {
            text: "cannot connect",
            source: Some(innermost.into()),
        };
        let outermost = Layer {
            text: "pool: cannot connect",
            source: Some(repeated.into()),
        };
        assert_eq!(
            with_causes(&outermost),
            "pool: cannot connect: no route to postgres://me:***@db/a"
        );
    }

    #[test]
    fn a_certificate_error_inside_an_io_error_is_named() {
        let problem = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let error = std::io::Error::new(std::io::ErrorKind::InvalidData, problem);
        let problem = certificate_problem(&error).unwrap();
        assert!(problem.contains("unknown authority"), "{problem}");
    }
}
