//! The columns that a file of accounts can have. `docs/migrating.md` describes their values.

use crate::named_enum::named_enum;

named_enum! {
    pub enum Column {
        Email = "email";
        Username = "username";
        PasswordHash = "password_hash";
        FirstName = "first_name";
        LastName = "last_name";
        Country = "country";
        BirthdayDay = "birthday_day";
        BirthdayMonth = "birthday_month";
        BirthdayYear = "birthday_year";
        Zipcode = "zipcode";
        MarketingConsent = "marketing_consent";
        Language = "language";
        LegacyId = "legacy_id";
        CreatedAt = "created_at";
    }
}
