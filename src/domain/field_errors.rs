use super::field_rule::FieldRule;

/// Collects the invalid fields of a form, each with the rule that its value breaks.
#[derive(Default)]
pub(crate) struct FieldErrors(pub Vec<(&'static str, FieldRule)>);

impl FieldErrors {
    /// Returns the value of a field, or records the rule that the value breaks and returns `None`.
    pub(crate) fn take<T>(
        &mut self,
        field: &'static str,
        value: Result<T, FieldRule>,
    ) -> Option<T> {
        value.map_err(|rule| self.0.push((field, rule))).ok()
    }
}
