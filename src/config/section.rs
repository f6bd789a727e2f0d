//! The macro `config_sections!` declares sections of the configuration with their defaults.

/// Declares structs whose fields are settings. Each setting has a default, and an unknown setting is an error.
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

/// Parses the default of a setting that is a duration, such as `30m`.
pub(super) fn duration(text: &str) -> super::Duration {
    text.parse().expect("a default duration")
}

pub(super) use config_sections;
