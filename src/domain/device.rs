//! A display name for a browser, derived from its User-Agent. The name consists of fixed phrases, so that no text of a
//! stranger reaches a mail or a screen.

/// Substrings of a User-Agent, each with the name of a browser. The first entry that matches decides. Many
/// browsers also send the substring of another browser, so they precede that browser in this list.
const BROWSERS: [(&str, &str); 90] = [
    ("+http", "Bot"),
    ("bot/", "Bot"),
    ("Bot/", "Bot"),
    ("bot;", "Bot"),
    ("crawler", "Bot"),
    ("spider", "Bot"),
    ("Spider", "Bot"),
    ("HeadlessChrome", "Bot"),
    ("Lighthouse", "Bot"),
    ("FBAN/", "Facebook"),
    ("FBAV/", "Facebook"),
    ("Instagram", "Instagram"),
    ("BytedanceWebview", "TikTok"),
    ("musical_ly", "TikTok"),
    ("TikTok", "TikTok"),
    ("Snapchat", "Snapchat"),
    ("[Pinterest/", "Pinterest"),
    ("MicroMessenger/", "WeChat"),
    ("LinkedInApp", "LinkedIn"),
    ("Twitter", "X"),
    ("KAKAOTALK", "KakaoTalk"),
    ("Line/", "LINE"),
    ("NAVER(", "NAVER"),
    ("GSA/", "Google"),
    ("BingSapphire/", "Bing"),
    ("BingWeb/", "Bing"),
    ("EdgW/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("EdgA/", "Edge"),
    ("Edg/", "Edge"),
    ("Edge/", "Edge"),
    ("OPR/", "Opera"),
    ("OPX/", "Opera"),
    ("OPT/", "Opera"),
    ("OPiOS/", "Opera"),
    ("Opera", "Opera"),
    ("OculusBrowser/", "Meta Quest Browser"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi", "Vivaldi"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("YaBrowser/", "Yandex Browser"),
    ("Brave", "Brave"),
    ("baidu", "Baidu"),
    ("BIDUBrowser", "Baidu"),
    ("UCBrowser/", "UC Browser"),
    ("UCWEB", "UC Browser"),
    ("UBrowser/", "UC Browser"),
    ("MiuiBrowser/", "Mi Browser"),
    ("HuaweiBrowser/", "Huawei Browser"),
    ("HeyTapBrowser/", "HeyTap Browser"),
    ("VivoBrowser/", "Vivo Browser"),
    ("QQBrowser", "QQ Browser"),
    ("Whale/", "Whale"),
    ("Silk/", "Silk"),
    ("coc_coc_browser", "Cốc Cốc"),
    ("Ecosia", "Ecosia"),
    ("MxBrowser/", "Maxthon"),
    ("MXiOS/", "Maxthon"),
    ("QIHU", "360"),
    ("PicoBrowser/", "Pico Browser"),
    ("Valve Steam", "Steam"),
    ("UCPC/", "UC Browser"),
    ("Maxthon", "Maxthon"),
    ("Avast/", "Avast"),
    ("AVG/", "AVG"),
    ("Avira/", "Avira"),
    ("Norton/", "Norton"),
    ("Puffin/", "Puffin"),
    ("Epiphany/", "GNOME Web"),
    ("PaleMoon/", "Pale Moon"),
    ("LibreWolf/", "LibreWolf"),
    ("Qwant", "Qwant"),
    ("AlohaBrowser/", "Aloha"),
    ("360SE", "360"),
    ("QihooBrowser", "360"),
    ("QHBrowser", "360"),
    ("Focus/", "Firefox Focus"),
    ("Klar/", "Firefox Focus"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("MSIE ", "Internet Explorer"),
    ("Trident/", "Internet Explorer"),
    ("IEMobile", "Internet Explorer"),
    ("; wv)", "Chrome WebView"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Android", "Android Browser"),
    ("Safari/", "Safari"),
];

/// Substrings of a User-Agent, each with the name of an operating system. The earliest match in this list decides,
/// because some systems also send the substring of another system.
const OPERATING_SYSTEMS: [(&str, &str); 21] = [
    ("Windows Phone", "Windows Phone"),
    ("Xbox", "Xbox"),
    ("iPhone", "iPhone"),
    ("iPod", "iPod"),
    ("iPad", "iPad"),
    ("OpenHarmony", "HarmonyOS"),
    ("HarmonyOS", "HarmonyOS"),
    ("Tizen", "Tizen"),
    ("Web0S", "webOS"),
    ("webOS", "webOS"),
    ("KAIOS", "KaiOS"),
    ("PlayStation", "PlayStation"),
    ("Nintendo", "Nintendo"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Mac OS X", "Mac"),
    ("FreeBSD", "FreeBSD"),
    ("Linux", "Linux"),
    ("X11", "Linux"),
];

/// The marks of browsers that exist on iPhone and iPad only. An iPad that asks for desktop pages sends "Macintosh".
const MARKS_OF_IOS: [&str; 7] = [
    "GSA/", "EdgiOS/", "OPT/", "OPiOS/", "MXiOS/", "FxiOS/", "CriOS/",
];

/// Returns a display name such as `Firefox · Windows`. The separator `·` needs no translation.
pub(crate) fn describe_browser(user_agent: &str) -> String {
    let find = |table: &'static [(&str, &str)]| {
        let mut entries = table.iter();
        entries.find(|(mark, _)| user_agent.contains(mark))
    };
    match (find(&BROWSERS), find(&OPERATING_SYSTEMS)) {
        (Some((mark, browser)), Some((_, "Mac"))) if MARKS_OF_IOS.contains(mark) => {
            (*browser).to_owned()
        }
        (Some((_, browser)), Some((_, system))) => format!("{browser} · {system}"),
        (Some((_, one)), None) | (None, Some((_, one))) => (*one).to_owned(),
        (None, None) => "Browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of browsers. Each line is a name, a tab, and a User-Agent with this name.
    const BROWSER_VECTORS: &str = include_str!("../../testdata/user_agents.tsv");

    #[test]
    fn browsers_are_distinguished_by_their_own_marks() {
        for line in BROWSER_VECTORS.lines() {
            let (expected, user_agent) = line.split_once('\t').unwrap();
            assert_eq!(describe_browser(user_agent), expected, "{user_agent}");
        }
    }

    #[test]
    fn unknown_agents_are_not_repeated() {
        assert_eq!(
            describe_browser("<b>call me</b> https://evil.example"),
            "Browser"
        );
    }
}
