//! `config_sections!` declares sections of the configuration together with their defaults.

/// Declares structs whose fields are settings, each with its default. An unknown setting is an error.
macro_rules! config_sections {
    ($(
        $(#[$attribute:meta])*
        pub struct $section:ident {
            $($(#[$field_attribute:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $section { $($(#[$field_attribute])* pub $field: $type,)* }

        impl Default for $section {
            fn default() -> Self {
                $section { $($field: $default,)* }
            }
        }
    )*};
}

/// Returns the duration of a default.
pub(super) fn duration(text: &str) -> super::Duration {
    text.parse().expect("a default duration")
}

pub(super) use config_sections;
