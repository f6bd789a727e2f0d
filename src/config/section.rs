//! Macros that declare settings. `config.example.toml` has their texts and defaults.

/// Declares sections. An unknown setting is an error, and so is a missing one, unless it is optional.
macro_rules! sections {
    ($($section:item)*) => {$(
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $section
    )*};
}

/// Declares settings with a choice of words.
macro_rules! choices {
    ($($choice:item)*) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        $choice
    )*};
}

pub(super) use {choices, sections};
