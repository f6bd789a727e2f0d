//! The parameters of an OAuth request, from a query or a form body.

use url::form_urlencoded;

use super::error::{OAuthResult, invalid_request};

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

    /// Fails if a parameter with one of these names is repeated, because parsers disagree on its value, or contains
    /// U+0000, which PostgreSQL does not store.
    pub(crate) fn check(&self, names: &[&str]) -> OAuthResult {
        let invalid = |why| Err(invalid_request(why));
        if names.iter().any(|name| self.is_repeated(name)) {
            return invalid("a parameter is repeated");
        }
        let mut values = names.iter().filter_map(|name| self.get(name));
        match values.any(|value| value.contains('\0')) {
            true => invalid("a parameter contains U+0000"),
            false => Ok(()),
        }
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
    fn empty_values_are_omitted_and_ambiguous_values_are_refused() {
        let parameters = Parameters::parse(b"a=1&b=&c=x+y%26&a=2&b=&d=%00");
        assert_eq!(parameters.get("b"), None);
        assert_eq!(parameters.get("c"), Some("x y&"));
        let problem = |names: &[&str]| parameters.check(names).err().map(|error| error.description);
        assert_eq!(problem(&["b", "c", "e"]), None);
        assert_eq!(problem(&["b", "a"]), Some("a parameter is repeated"));
        assert_eq!(problem(&["c", "d"]), Some("a parameter contains U+0000"));
        assert_eq!(parameters.without(&["b", "d"]).finish(), "a=1&c=x+y%26&a=2");
    }
}
