//! The rules that a field of a form can break, each with its message.

use crate::i18n::Message;
use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// The rule that a field breaks. The name is the field's error code and never changes, and the message is shown
    /// under `validation_failed`.
    #[derive(Hash)]
    pub enum FieldRule(message: Message) {
        MissingField = "missing_field", Message::ErrorMissingField;
        EmailMissing = "email_missing", Message::ErrorEmailMissing;
        EmailInvalid = "email_invalid", Message::ErrorEmailInvalid;
        EmailInvalidMigration = "email_invalid_migration", Message::ErrorEmailInvalidMigration;
        UsernameCharacters = "username_characters", Message::ErrorUsernameCharacters;
        UsernameTooLong = "username_too_long", Message::ErrorUsernameTooLong;
        PasswordMissing = "password_missing", Message::ErrorPasswordMissing;
        PasswordTooShort = "password_too_short", Message::ErrorPasswordTooShort;
        PasswordTooShortMigration = "password_too_short_migration", Message::ErrorPasswordTooShortMigration;
        PasswordUppercase = "password_uppercase", Message::ErrorPasswordUppercase;
        PasswordLowercase = "password_lowercase", Message::ErrorPasswordLowercase;
        PasswordDigit = "password_digit", Message::ErrorPasswordDigit;
        PasswordTooLong = "password_too_long", Message::ErrorPasswordTooLong;
        PasswordsDiffer = "passwords_differ", Message::ErrorPasswordsDiffer;
        PasswordCriteria = "password_criteria", Message::ErrorPasswordCriteria;
        PasswordCommon = "password_common", Message::ErrorPasswordCommon;
        CountryMissing = "country_missing", Message::ErrorCountryMissing;
        ZipcodeInvalid = "zipcode_invalid", Message::ErrorZipcodeInvalid;
        BirthdayInvalid = "birthday_invalid", Message::ErrorBirthdayInvalid;
        CurrentPasswordMissing = "current_password_missing", Message::ErrorCurrentPasswordMissing;
        UsernameInUse = "username_in_use", Message::ErrorUsernameInUse;
        PasskeyName = "passkey_name", Message::ErrorPasskeyName;
        // The site reserves this username.
        UsernameReserved = "username_reserved", Message::ErrorUsernameReserved;
        AccountExists = "account_exists", Message::ErrorAccountExists;
        EmailInOldSystem = "email_in_old_system", Message::ErrorEmailInOldSystem;
        Underage = "underage", Message::ErrorUnderage;
        // The value of the field is too long or contains control characters.
        ValidationFailed = "validation_failed", Message::ErrorValidationFailed;
    }
}

impl From<FieldRule> for Message {
    fn from(rule: FieldRule) -> Message {
        rule.message()
    }
}

serialize_as_name!(FieldRule);
