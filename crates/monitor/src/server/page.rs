//! The page's files, which are part of the program.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The files by their paths, with what they hold.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What is shown by a program that was built without the page.
const NO_PAGE: &str = "<!doctype html><meta charset=utf-8><title>superhet</title>\
    <p>This program was built without the page of the dashboard. Its interface is there: <a href=/api/graphs>/api/graphs</a>.";

/// The file of that path.
pub(crate) fn file(path: &str, headers: &HeaderMap) -> Response {
    let path = if path == "/" { "/index.html" } else { path };
    let Some((name, bytes)) = FILES.iter().find(|(name, _)| *name == path) else {
        return match path {
            "/index.html" => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], NO_PAGE).into_response(),
            _ => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
        };
    };
    let tag = format!("\"{:016x}\"", fingerprint(bytes));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let head = [
        (header::CONTENT_TYPE, kind(name)),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, tag.as_str()),
    ];
    match known == Some(tag.as_str()) {
        true => (StatusCode::NOT_MODIFIED, head).into_response(),
        false => (head, *bytes).into_response(),
    }
}

/// Fowler, Noll and Vo's hash FNV-1a of 64 bits.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
