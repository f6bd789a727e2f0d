use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::observability::causes::with_causes;

/// The cause of a failure of the database: a text that contains no value of a row, and the error of the driver or the
/// operating system, if there is one.
#[derive(Clone)]
pub struct Cause {
    text: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl Cause {
    pub(crate) fn new(text: String, error: impl Error + Send + Sync + 'static) -> Cause {
        Cause {
            text,
            source: Some(Arc::new(error)),
        }
    }

    pub(crate) fn of(error: impl Error + Send + Sync + 'static) -> Cause {
        Cause::new(with_causes(&error), error)
    }
}

impl<T: Into<String>> From<T> for Cause {
    fn from(text: T) -> Cause {
        Cause {
            text: text.into(),
            source: None,
        }
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Formats only the text, because the drivers' errors repeat values of a row.
impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::StoreError;

    #[test]
    fn an_error_keeps_its_source_but_prints_no_value_of_a_row() {
        #[derive(Debug, thiserror::Error)]
        #[error("duplicate key")]
        struct DriverError {
            _detail: &'static str,
        }
        let driver = DriverError {
            _detail: "ada@example.org",
        };
        let error = StoreError::Other(Cause::of(driver));
        assert!(
            error
                .source()
                .and_then(Error::source)
                .is_some_and(|s| s.is::<DriverError>())
        );
        assert_eq!(error.to_string(), "database: duplicate key");
        assert_eq!(format!("{error:?}"), "Other(\"duplicate key\")");
    }
}
