//! The acts that wait before they take effect, such as a requested deletion.

use crate::named_enum::named_enum;

named_enum! {
    pub enum Act {
        EmailChange = "email_change";
        Deletion = "deletion";
        FactorReset = "factor_reset";
        Inactivity = "inactivity";
    }
}
