//! The files of the front end, which are embedded with the compressed variants that the web build made.

use std::io::Read;

use crate::domain::secret::hexadecimal;
use crate::http::prelude::*;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, IF_NONE_MATCH};
use flate2::read::GzDecoder;
use rust_embed::EmbeddedFile;

#[derive(rust_embed::RustEmbed)]
#[folder = "web/dist"]
#[allow_missing = true]
pub struct EmbeddedFiles;

/// The `Cache-Control` of files whose name contains a hash of their content.
const CACHE_IMMUTABLE: &str = "public, max-age=31536000, immutable";
const CACHE_ONE_HOUR: &str = "public, max-age=3600";

/// Returns a text file of the front end, or `None` if the front end was not built.
pub(super) fn embedded_text(path: &str) -> Option<String> {
    String::from_utf8(EmbeddedFiles::get(path)?.data.into()).ok()
}

/// Returns a file of the front end, or `None` if there is no such file.
pub(crate) fn public_file(path: &str, request: &HeaderMap) -> Option<Response> {
    let is_public = !path.is_empty()
        && !path.starts_with("dev/")
        && !path.starts_with("support/")
        && !path.ends_with(".br")
        && !path.ends_with(".gz")
        && path != "index.html"
        && !path.starts_with("screens/");
    is_public.then(|| serve_file(path, request))?
}

/// Returns a file of a page for developers. The caller must check whether such pages are allowed.
pub(crate) fn dev_file(path: &str, request: &HeaderMap) -> Option<Response> {
    path.starts_with("dev/")
        .then(|| serve_file(path, request))?
}

/// Returns a file of the support view. The caller must check whether the request comes from an agent.
pub(crate) fn support_file(path: &str, request: &HeaderMap) -> Option<Response> {
    let is_file = path.starts_with("support/assets/");
    let mut response = is_file.then(|| serve_file(path, request))??;
    let private = axum::http::HeaderValue::from_static("private, no-cache");
    response.headers_mut().insert(CACHE_CONTROL, private);
    Some(response)
}

fn serve_file(path: &str, request: &HeaderMap) -> Option<Response> {
    let kind = content_type(path).filter(|_| !path.contains(".."))?;
    let (encoding, file) = smallest_encoding(path, request)?;
    let tag = format!(
        "\"{}{}\"",
        hexadecimal(&file.metadata.sha256_hash()[..12]),
        encoding.unwrap_or_default()
    );
    let cache = if path.starts_with("assets/") {
        CACHE_IMMUTABLE
    } else {
        CACHE_ONE_HOUR
    };
    let mut response = if request
        .get(IF_NONE_MATCH)
        .is_some_and(|sent| sent.as_bytes() == tag.as_bytes())
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, kind)], file.data.into_owned()).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, cache.parse().expect("ASCII"));
    headers.insert(VARY, "accept-encoding".parse().expect("ASCII"));
    headers.insert(ETAG, tag.parse().expect("ASCII"));
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, encoding.parse().expect("ASCII"));
    }
    Some(response)
}

/// Returns the content type of a file, or `None` for a type of file that no page uses.
fn content_type(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml; charset=utf-8",
        _ => return None,
    })
}

/// Returns the smallest variant of a file that the client accepts, and the encoding of this variant. Most files are
/// embedded only compressed, and are decompressed for a client that does not accept the encoding.
fn smallest_encoding(
    path: &str,
    request: &HeaderMap,
) -> Option<(Option<&'static str>, EmbeddedFile)> {
    let accepted = request.get(ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let accepts = |name: &str| {
        accepted.unwrap_or_default().split(',').any(|part| {
            let mut words = part.split(';').map(str::trim);
            words.next() == Some(name) && !words.any(|q| q == "q=0" || q == "q=0.0")
        })
    };
    let compressed = [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .find_map(|(name, ending)| {
            let file = accepts(name).then(|| EmbeddedFiles::get(&format!("{path}.{ending}")))??;
            Some((Some(name), file))
        });
    compressed
        .or_else(|| Some((None, EmbeddedFiles::get(path)?)))
        .or_else(|| Some((None, decompress(&format!("{path}.gz"))?)))
}

/// Returns the decompressed content of a compressed file, or `None` if there is no such file.
pub(super) fn decompress(path: &str) -> Option<EmbeddedFile> {
    let mut file = EmbeddedFiles::get(path)?;
    let mut content = Vec::new();
    GzDecoder::new(&*file.data)
        .read_to_end(&mut content)
        .expect("the build compressed it");
    file.data = content.into();
    Some(file)
}

pub(crate) fn not_found() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    (StatusCode::NOT_FOUND, headers, "Not found\n").into_response()
}
