//! Rules of the domain, without I/O.

pub mod age;
pub mod common_passwords;
pub mod country;
pub mod device;
pub mod email;
pub mod password;
pub mod secret;
pub mod username;
pub mod zipcode;
