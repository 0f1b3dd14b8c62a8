//! The server: routes, who may ask for what, and the connection of each viewer.

pub(crate) mod answer;
pub(crate) mod hub;
pub(crate) mod outbox;
mod page;
pub(crate) mod rest_taps;
mod routes;
pub(crate) mod security;
mod session;
mod socket;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use answer::refused;
use hub::Hub;

/// All that is answered.
pub(crate) fn router(hub: Arc<Hub>) -> Router {
    let guarded = from_fn_with_state(hub.clone(), guard);
    routes::all().layer(guarded).with_state(hub)
}

/// Refuses what comes by a foreign name or from a foreign page, and asks for a token where one is needed.
async fn guard(State(hub): State<Arc<Hub>>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let needs_token = path.starts_with("/api/") || path == "/metrics";
    let passes = hub.gate.expect_own(request.headers()).and_then(|()| match needs_token {
        true => {
            let role = hub.gate.role(request.headers())?;
            security::expect_allowed(role, request.method(), path)?;
            Ok(Some(role))
        }
        false => Ok(None),
    });
    let mut response = match passes {
        Ok(role) => {
            if let Some(role) = role {
                request.extensions_mut().insert(role);
            }
            next.run(request).await
        }
        Err(refusal) => refused(&refusal),
    };
    response.headers_mut().extend(security::HEADERS);
    response
}
