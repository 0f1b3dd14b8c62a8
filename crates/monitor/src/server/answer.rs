//! Answers in JSON, and what is read from requests.

use axum::body::{Body, to_bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::error::Refusal;

/// The most bytes of a body, and of a message of the WebSocket.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// An answer of the interface.
pub(crate) type Answer = Result<Response, Refusal>;

/// A refusal as JSON.
pub(crate) fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, as_json(&json!({ "error": refusal.sentence }))).into_response()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refused(&self)
    }
}

/// A value as JSON.
pub(crate) fn as_json<T: Serialize>(value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => {
            ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], bytes)
                .into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Reads a body as JSON; an empty one as an empty object.
pub(crate) async fn read<T: DeserializeOwned>(body: Body) -> Result<T, Refusal> {
    let bytes = to_bytes(body, MOST_BYTES).await.map_err(|error| {
        let sentence = format!("a body has at most {MOST_BYTES} bytes, and all that it says it has: {error}");
        Refusal { status: 413, sentence }
    })?;
    let bytes = if bytes.is_empty() { b"{}".as_slice() } else { &bytes };
    serde_json::from_slice(bytes).map_err(|error| Refusal::wrong(format!("the body: {error}")))
}
