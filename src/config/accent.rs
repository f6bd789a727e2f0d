//! The accent colour of a brand. The colours of links, of shades and of text on the accent are derived from it by the
//! contrast ratios of WCAG 2.2 (1.4.3 and 1.4.11).

use std::fmt;
use std::str::FromStr;

use super::units::written_as_text;

/// An sRGB colour, written `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accent([u8; 3]);

/// Colours that appear next to the accent, as `web/src/styles/tokens.css` defines them under the same names.
const INK: Accent = Accent([0x0f, 0x0f, 0x13]);
const SURFACE: Accent = Accent([0x18, 0x18, 0x1f]);
const RAISED: Accent = Accent([0x22, 0x22, 0x2b]);
const TEXT: Accent = Accent([0xf6, 0xf5, 0xf0]);
const DARK: Accent = Accent([0x15, 0x13, 0x0a]);
const LIGHT: Accent = Accent([0xff, 0xff, 0xff]);
const DANGER: Accent = Accent([0xff, 0x8a, 0x7a]);

/// The minimum contrast of focus rings and borders (WCAG 1.4.11).
const MIN_SHAPE_CONTRAST: f64 = 3.0;
/// The minimum contrast of text (WCAG 1.4.3).
const MIN_TEXT_CONTRAST: f64 = 4.5;
/// The minimum distance of an accent from the hue of error messages, measured in OKLab.
const MIN_HUE_DISTANCE_DEGREES: f64 = 28.0;
/// The chroma in OKLab below which a colour looks grey, whatever its hue.
const MAX_GREY_CHROMA: f64 = 0.05;

impl Default for Accent {
    fn default() -> Accent {
        Accent::DEFAULT
    }
}

impl Accent {
    /// The default accent is yellow.
    pub const DEFAULT: Accent = Accent([0xff, 0xd2, 0x1f]);

    /// Returns the colour of text on the accent: dark or white, whichever has the higher contrast.
    pub fn text_colour(self) -> Accent {
        match self.contrast(DARK) >= self.contrast(LIGHT) {
            true => DARK,
            false => LIGHT,
        }
    }

    /// Returns the colour of links, which is the accent, lightened until it is readable on the lightest surface.
    pub fn link_colour(self) -> Accent {
        let lighter = (0..=20).map(|step| self.mix(TEXT, f64::from(step) / 20.0));
        lighter
            .into_iter()
            .find(|colour| colour.contrast(RAISED) >= MIN_TEXT_CONTRAST)
            .unwrap_or(TEXT)
    }

    /// Returns a darker shade of the accent, for the craters of the moon in the background picture.
    pub fn dark_shade(self) -> Accent {
        self.mix(Accent([0; 3]), 0.3)
    }

    /// Returns why this colour cannot be an accent, or `None` if it can.
    fn problem(self) -> Option<String> {
        for (name, ground) in [("page", INK), ("card", SURFACE)] {
            let contrast = self.contrast(ground);
            if contrast < MIN_SHAPE_CONTRAST {
                return Some(format!(
                    "{self} has a contrast of {contrast:.1} with the {name} ({ground}), and rings need {MIN_SHAPE_CONTRAST}; choose a lighter colour"
                ));
            }
        }
        let contrast = self.contrast(self.text_colour());
        (contrast < MIN_TEXT_CONTRAST).then(|| {
            format!(
                "text on {self} has a contrast of {contrast:.1} at most and needs {MIN_TEXT_CONTRAST}; choose a lighter or darker colour"
            )
        })
    }

    /// Returns whether buttons and rings in this colour could be mistaken for errors because the hues are close.
    pub fn resembles_error(self) -> bool {
        let ((hue, chroma), (error, _)) = (self.hue_and_chroma(), DANGER.hue_and_chroma());
        let distance = (hue - error).abs();
        chroma > MAX_GREY_CHROMA && distance.min(360.0 - distance) < MIN_HUE_DISTANCE_DEGREES
    }

    /// Returns the hue in degrees and the chroma, both in OKLab (CSS Color 4, section 9.2).
    fn hue_and_chroma(self) -> (f64, f64) {
        let [r, g, b] = self.linear_rgb();
        let cone = |x: f64, y: f64, z: f64| (x * r + y * g + z * b).cbrt();
        let long = cone(0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9);
        let medium = cone(0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6);
        let short = cone(0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5);
        let a = 1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short;
        let b = 0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short;
        (b.atan2(a).to_degrees(), a.hypot(b))
    }

    /// Returns the contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
    fn contrast(self, other: Accent) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns the luminance, from 0 to 1 (WCAG 2.2, "relative luminance").
    fn luminance(self) -> f64 {
        let [r, g, b] = self.linear_rgb();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Returns the linear-light red, green and blue values of an sRGB colour, from 0 to 1.
    fn linear_rgb(self) -> [f64; 3] {
        self.0.map(|channel| {
            let c = f64::from(channel) / 255.0;
            match c <= 0.04045 {
                true => c / 12.92,
                false => ((c + 0.055) / 1.055).powf(2.4),
            }
        })
    }

    fn mix(self, other: Accent, share: f64) -> Accent {
        let mut mixed = self.0;
        for (own_channel, other_channel) in mixed.iter_mut().zip(other.0) {
            let value = f64::from(*own_channel) * (1.0 - share) + f64::from(other_channel) * share;
            // The mixed value is between two channel values, and therefore between 0 and 255.
            *own_channel = value.round() as u8;
        }
        Accent(mixed)
    }
}

impl FromStr for Accent {
    type Err = String;

    fn from_str(text: &str) -> Result<Accent, String> {
        let wrong = || format!("'{text}' is not a colour like #ffd21f");
        let digits = text.strip_prefix('#').ok_or_else(wrong)?;
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
        let [_, r, g, b] = number.to_be_bytes();
        let accent = Accent([r, g, b]);
        accent.problem().map_or(Ok(accent), Err)
    }
}

impl fmt::Display for Accent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

written_as_text!(Accent);

#[cfg(test)]
mod tests {
    use super::*;

    fn accent(text: &str) -> Accent {
        text.parse().unwrap()
    }

    #[test]
    fn contrast_matches_known_values_of_wcag() {
        let contrast = LIGHT.contrast(Accent([0; 3]));
        assert!((contrast - 21.0).abs() < 0.001, "{contrast}");
        // #767676 is known as the lightest grey with sufficient contrast on white.
        let contrast = accent("#767676").contrast(accent("#ffffff"));
        assert!((4.54..4.55).contains(&contrast), "{contrast}");
    }

    #[test]
    fn text_on_the_accent_is_dark_or_white_by_contrast() {
        for (colour, on) in [
            ("#ffd21f", "#15130a"),
            ("#7fdd8f", "#15130a"),
            ("#c2185b", "#ffffff"),
            ("#d32f2f", "#ffffff"),
        ] {
            let accent = accent(colour);
            assert_eq!(accent.text_colour().to_string(), on, "{colour}");
            assert!(
                accent.link_colour().contrast(RAISED) >= MIN_TEXT_CONTRAST,
                "{colour}"
            );
        }
        assert_eq!(Accent::default().link_colour(), Accent::default());
    }

    #[test]
    fn an_accent_near_the_error_colour_is_detected() {
        for colour in ["#ff8a7a", "#d6336c", "#c2185b", "#d32f2f", "#ff6b6b"] {
            assert!(accent(colour).resembles_error(), "{colour}");
        }
        for colour in [
            "#ffd21f", "#ff9f43", "#9aa5ff", "#7fdbff", "#5ee08a", "#c792ea", "#f6f5f0",
        ] {
            assert!(!accent(colour).resembles_error(), "{colour}");
        }
    }

    #[test]
    fn a_colour_with_low_contrast_is_refused_with_the_contrast() {
        let problem = "#3a1020".parse::<Accent>().unwrap_err();
        assert!(problem.contains("rings need 3"), "{problem}");
        let unreadable = (0..=255u8)
            .map(|grey| Accent([grey; 3]))
            .filter(|grey| grey.text_colour().contrast(*grey) < MIN_TEXT_CONTRAST);
        for grey in unreadable {
            assert!(grey.problem().is_some(), "{grey}");
        }
        for wrong in ["ffd21f", "#ffd21", "#ffd21g", "yellow", "#+fd21f", ""] {
            assert!(wrong.parse::<Accent>().is_err(), "{wrong}");
        }
    }
}
