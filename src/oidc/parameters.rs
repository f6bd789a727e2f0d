//! The parameters of an OAuth request, from a query or a form body.

use std::collections::BTreeMap;

use url::form_urlencoded;

/// The parameters by name. The type has no `Debug`, because parameters contain authorization codes, tokens and secrets.
pub(crate) struct Parameters {
    values: BTreeMap<String, String>,
    /// The names that occur more than once.
    repeated: Vec<String>,
}

impl Parameters {
    /// Parses text such as `a=b&c=d`. A parameter without a value counts as omitted (RFC 6749 section 3.1).
    pub(crate) fn parse(text: &[u8]) -> Parameters {
        let (mut values, mut repeated) = (BTreeMap::new(), Vec::new());
        for (name, value) in form_urlencoded::parse(text) {
            if value.is_empty() {
                continue;
            }
            let name = name.into_owned();
            if values.insert(name.clone(), value.into_owned()).is_some() {
                repeated.push(name);
            }
        }
        Parameters { values, repeated }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn is_repeated(&self, name: &str) -> bool {
        self.repeated.iter().any(|repeated| repeated == name)
    }

    /// Returns whether one of these names occurs more than once. Parsers disagree on the value of such a parameter.
    pub(crate) fn has_repeated(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is_repeated(name))
    }

    /// Returns the form-encoded parameters, except those with these names.
    pub(crate) fn without(&self, names: &[&str]) -> form_urlencoded::Serializer<'static, String> {
        let mut text = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &self.values {
            if !names.contains(&name.as_str()) {
                text.append_pair(name, value);
            }
        }
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
        assert_eq!(parameters.without(&["a"]).finish(), "c=x+y%26");
    }
}
