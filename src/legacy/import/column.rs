//! The columns of a file of accounts, by name. `docs/migrating.md` describes their values.

macro_rules! columns {
    ($($variant:ident $name:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Column { $($variant,)* }

        impl Column {
            pub const ALL: &'static [Column] = &[$(Column::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Column::$variant => $name,)* }
            }
        }
    };
}

columns! {
    Email "email",
    Username "username",
    PasswordHash "password_hash",
    FirstName "first_name",
    LastName "last_name",
    Country "country",
    BirthdayDay "birthday_day",
    BirthdayMonth "birthday_month",
    BirthdayYear "birthday_year",
    Zipcode "zipcode",
    MarketingConsent "marketing_consent",
    Language "language",
    LegacyId "legacy_id",
    CreatedAt "created_at",
}

impl Column {
    pub const COUNT: usize = Column::ALL.len();

    pub fn from_name(name: &str) -> Option<Column> {
        Column::ALL.iter().copied().find(|c| c.name() == name)
    }
}
