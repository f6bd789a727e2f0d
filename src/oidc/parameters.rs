//! The parameters of an OAuth request, from a query or a form body.

use url::form_urlencoded;

/// The parameters in their order. The type has no `Debug`, because parameters contain authorization codes, tokens and
/// secrets.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Parses text such as `a=b&c=d`. A parameter without a value counts as omitted (RFC 6749 section 3.1).
    pub(crate) fn parse(text: &[u8]) -> Parameters {
        let pairs = form_urlencoded::parse(text).filter(|(_, value)| !value.is_empty());
        Parameters(
            pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_repeated(&self, name: &str) -> bool {
        self.0.iter().filter(|(own, _)| own == name).count() > 1
    }

    /// Returns whether one of these names occurs more than once. Parsers disagree on the value of such a parameter.
    pub(crate) fn has_repeated(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is_repeated(name))
    }

    /// Returns the form-encoded parameters, also repeated ones, except those with these names.
    pub(crate) fn without(&self, names: &[&str]) -> form_urlencoded::Serializer<'static, String> {
        let mut text = form_urlencoded::Serializer::new(String::new());
        let kept = self
            .0
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()));
        text.extend_pairs(kept);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_omitted_and_repeated_names_are_known() {
        let parameters = Parameters::parse(b"a=1&b=&c=x+y%26&a=2&b=");
        assert_eq!(parameters.get("b"), None);
        assert_eq!(parameters.get("c"), Some("x y&"));
        assert!(parameters.has_repeated(&["a"]) && !parameters.has_repeated(&["b", "c"]));
        assert_eq!(parameters.without(&["b"]).finish(), "a=1&c=x+y%26&a=2");
    }
}
