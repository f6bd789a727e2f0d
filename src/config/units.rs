//! Parses the notation of values in the settings: durations (`30m`), rate limits (`5/5m`), sizes (`16 KiB`) and lists.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A longer duration would end after the year 9999, which no date can show, or would exceed the numbers of the clock.
const MAX_DAYS: u64 = 365_250;

/// A length of time, written as `30m`, `2s` or `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub std::time::Duration);

impl Duration {
    pub fn millis(self) -> i64 {
        i64::try_from(self.0.as_millis()).unwrap_or(i64::MAX / 4)
    }

    /// Returns the number of whole days, rounded down.
    pub fn days(self) -> u64 {
        self.0.as_secs() / 86_400
    }
}

impl FromStr for Duration {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text).map(Duration) {
            Ok(duration) if duration.days() <= MAX_DAYS => Ok(duration),
            Ok(_) => Err(format!("'{text}' is longer than 1000 years")),
            Err(_) => Err(format!(
                "'{text}' is not a duration: write it like 30m, 2s or 7d"
            )),
        }
    }
}

/// Writes the duration as one number with the largest unit that fits, up to days, such as `90d`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        let units = [
            (86_400_000, "d"),
            (3_600_000, "h"),
            (60_000, "m"),
            (1000, "s"),
        ];
        match units.iter().find(|(unit, _)| millis.is_multiple_of(*unit)) {
            Some(_) if millis == 0 => f.write_str("0s"),
            Some((unit, name)) => write!(f, "{}{name}", millis / unit),
            None => write!(f, "{millis}ms"),
        }
    }
}

/// A rate limit: the number of actions in a window of time, written as `5/5m` or `20/m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub hits: i64,
    pub window: Duration,
}

impl FromStr for Limit {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a limit: write it like 5/5m or 20/m");
        let (hits, window) = text.split_once('/').ok_or_else(wrong)?;
        let hits: i64 = hits.trim().parse().map_err(|_| wrong())?;
        let window = window.trim();
        let window = if window.starts_with(|c: char| c.is_ascii_digit()) {
            window.parse()
        } else {
            format!("1{window}").parse()
        };
        let window: Duration = window.map_err(|_: String| wrong())?;
        if hits < 1 || window.millis() < 1 {
            return Err(wrong());
        }
        Ok(Limit { hits, window })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.hits, self.window)
    }
}

/// A size in bytes, written as `16 KiB` or as a number without unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub usize);

impl FromStr for ByteSize {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse::<bytesize::ByteSize>()
            .map(|b| ByteSize(b.as_u64() as usize))
            .map_err(|_| format!("'{text}' is not a size: write it like 16 KiB"))
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bytesize::ByteSize(self.0 as u64).display().iec().fmt(f)
    }
}

/// Parses an IP address and a port to listen on.
pub(super) fn listen_address<'de, D: Deserializer<'de>>(d: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(d)?;
    let address: SocketAddr = text.parse().map_err(|_| {
        serde::de::Error::custom(format!(
            "'{text}' is not an address to listen on: write an IP address and a port, like 127.0.0.1:8080 or [::]:8080"
        ))
    })?;
    Ok(SocketAddr::new(address.ip().to_canonical(), address.port()))
}

pub(super) fn optional_listen_address<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<SocketAddr>, D::Error> {
    listen_address(d).map(Some)
}

/// A list of values. An environment variable separates the values by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T: fmt::Display> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.iter().map(ToString::to_string))
    }
}

/// Returns the values of a list, trimmed and without empty values.
fn deserialize_items<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ConfigValue {
        One(String),
        Many(Vec<String>),
    }
    let mut items = match ConfigValue::deserialize(d)? {
        ConfigValue::One(text) => text.split(',').map(str::to_owned).collect(),
        ConfigValue::Many(items) => items,
    };
    for item in &mut items {
        *item = item.trim().to_owned();
    }
    items.retain(|item| !item.is_empty());
    Ok(items)
}

impl<'de> Deserialize<'de> for List<String> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        deserialize_items(d).map(List)
    }
}

impl<'de> Deserialize<'de> for List<ipnet::IpNet> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let networks = deserialize_items(d)?;
        let networks = networks.iter().map(|item| {
            parse_network(item).ok_or_else(|| {
                serde::de::Error::custom(format!(
                    "'{item}' is no address: write 10.0.0.1 or a block like 10.0.0.0/8"
                ))
            })
        });
        networks.collect::<Result<_, _>>().map(List)
    }
}

/// Parses an IP address or a network. An IPv4 network that is written as IPv6 (RFC 4291 section 2.5.5.2) is returned as
/// IPv4, because the addresses of clients are compared as IPv4.
fn parse_network(text: &str) -> Option<ipnet::IpNet> {
    let address = text.parse::<IpAddr>().map(ipnet::IpNet::from);
    let network = address.or_else(|_| text.parse()).ok()?;
    let mapped = (
        network.addr().to_canonical(),
        network.prefix_len().checked_sub(96),
    );
    match (network, mapped) {
        (ipnet::IpNet::V6(_), (v4 @ IpAddr::V4(_), Some(length))) => {
            ipnet::IpNet::new(v4, length).ok()
        }
        _ => Some(network),
    }
}

/// Reads and writes a setting by its `FromStr` and `Display`. A number without quotes is parsed like the same digits in
/// quotes.
macro_rules! written_as_text {
    ($($type:ty),*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(untagged)]
                enum ConfigValue { Text(String), Number(u64) }
                let text = match serde::Deserialize::deserialize(d)? {
                    ConfigValue::Text(text) => text,
                    ConfigValue::Number(number) => number.to_string(),
                };
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
pub(super) use written_as_text;

written_as_text!(Duration, Limit, ByteSize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_parse_with_and_without_a_number_before_the_unit() {
        let five: Limit = "5/5m".parse().unwrap();
        assert_eq!((five.hits, five.window.millis()), (5, 300_000));
        let twenty: Limit = "20/m".parse().unwrap();
        assert_eq!((twenty.hits, twenty.window.millis()), (20, 60_000));
        for wrong in ["", "5", "5/", "/m", "0/m", "-1/m", "5/0s", "5/x", "5/1001y"] {
            assert!(wrong.parse::<Limit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_ipv4_network_has_one_notation() {
        for (text, network) in [
            ("::ffff:127.0.0.1", Some("127.0.0.1/32")),
            ("::ffff:10.0.0.0/104", Some("10.0.0.0/8")),
            ("::ffff:0:0/96", Some("0.0.0.0/0")),
            ("10.0.0.1", Some("10.0.0.1/32")),
            ("::/0", Some("::/0")),
            ("::1", Some("::1/128")),
            ("here", None),
            ("10.0.0.0/33", None),
        ] {
            let parsed = parse_network(text).map(|network| network.to_string());
            assert_eq!(parsed.as_deref(), network, "{text}");
        }
    }

    #[test]
    fn sizes_parse_with_and_without_unit() {
        assert_eq!("16 KiB".parse(), Ok(ByteSize(16384)));
        assert_eq!("512".parse(), Ok(ByteSize(512)));
        assert!("many".parse::<ByteSize>().is_err());
    }

    #[test]
    fn a_duration_is_written_as_it_is_read() {
        for text in ["90d", "400d", "36h", "90m", "2s", "1500ms", "0s"] {
            assert_eq!(text.parse::<Duration>().unwrap().to_string(), text);
        }
    }
}
