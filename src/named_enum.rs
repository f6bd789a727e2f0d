//! `named_enum!` declares an enum together with the stable names of its variants.

/// Declares an enum, its names (`as_str`, `from_name`) and its list (`ALL`). Each further column is a method:
///
/// ```ignore
/// named_enum! {
///     pub(crate) enum OAuthCode(status: u16) {
///         InvalidClient = "invalid_client", 401;
///     }
/// }
/// ```
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $type:ident $(($($(#[$column_doc:meta])* $column:ident: $column_type:ty),*))? {
            $($(#[$doc:meta])* $variant:ident = $name:literal $(, $value:expr)*;)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visibility enum $type { $($(#[$doc])* $variant,)* }

        #[allow(dead_code)] // Not every enum uses `ALL` and `from_name`.
        impl $type {
            $visibility const ALL: &'static [$type] = &[$($type::$variant,)*];

            $visibility fn as_str(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }

            /// Returns the variant with this name, or `None` for an unknown name, such as one of a later version.
            $visibility fn from_name(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|variant| variant.as_str() == name)
            }
        }

        $crate::named_enum::named_enum! {
            @columns $visibility $type
            [$($($(#[$column_doc])* $column: $column_type,)*)?]
            $($variant $(, $value)*;)*
        }
    };
    (@columns $visibility:vis $type:ident [] $($variant:ident;)*) => {};
    // Generates the method of the first column, and then those of the remaining columns.
    (
        @columns $visibility:vis $type:ident
        [$(#[$doc:meta])* $column:ident: $column_type:ty, $($columns:tt)*]
        $($variant:ident, $value:expr $(, $values:expr)*;)*
    ) => {
        impl $type {
            $(#[$doc])*
            $visibility fn $column(self) -> $column_type {
                match self { $($type::$variant => $value,)* }
            }
        }

        $crate::named_enum::named_enum! {
            @columns $visibility $type [$($columns)*] $($variant $(, $values)*;)*
        }
    };
}

/// Serializes a `named_enum!` as the name of its variant.
macro_rules! serialize_as_name {
    ($type:ident) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use {named_enum, serialize_as_name};

#[cfg(test)]
mod tests {
    named_enum! {
        enum Planet(moons: u8, is_giant: bool) {
            Earth = "earth", 1, false;
            Neptune = "neptune", 16, true;
        }
    }

    #[test]
    fn every_variant_is_found_by_its_name_and_has_its_columns() {
        for planet in Planet::ALL {
            assert_eq!(Planet::from_name(planet.as_str()), Some(*planet));
        }
        assert_eq!(Planet::from_name("of a later version"), None);
        assert_eq!((Planet::Earth.moons(), Planet::Neptune.moons()), (1, 16));
        assert!(Planet::Neptune.is_giant());
    }
}
