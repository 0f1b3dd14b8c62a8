//! The routes of the interface.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use serde_json::json;
use superhet_runtime::Value;
use superhet_runtime::catalog::{Direction, Entry, Kind};

use super::answer::{Answer, as_json, read, refused};
use super::hub::{Event, Hub, metrics_of};
use super::security::Role;
use super::{page, rest_taps, socket};
use crate::api::{Record, Replace, Set};
use crate::error::Refusal;
use crate::tap::points::edit;
use crate::{openapi, prometheus};

type Shared = State<Arc<Hub>>;

/// All of them. `openapi.json` describes those below `/api`; a test compares the two.
pub(super) fn all() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/session", get(session))
        .route("/api/graphs", get(graphs))
        .route("/api/graphs/{graph}", get(graph))
        .route("/api/graphs/{graph}/metrics", get(graph_metrics))
        .route("/api/graphs/{graph}/set", post(set))
        .route("/api/graphs/{graph}/stop", post(stop))
        .route("/api/graphs/{graph}/start", post(start))
        .route("/api/graphs/{graph}/replace", post(replace))
        .route("/api/graphs/{graph}/record", post(record))
        .route("/api/records/{record}", delete(end_record))
        .route("/api/taps", post(rest_taps::add))
        .route("/api/taps/{tap}", delete(rest_taps::end))
        .route("/api/taps/{tap}/spectrum", get(rest_taps::spectrum))
        .route("/api/openapi.json", get(description))
        .route("/api/ws", get(socket::open))
        .route("/metrics", get(prometheus_text))
        .fallback(anything)
}

async fn session(Extension(role): Extension<Role>) -> Response {
    as_json(&json!({ "role": role.name(), "version": env!("CARGO_PKG_VERSION") }))
}

async fn graphs(State(hub): Shared) -> Response {
    as_json(&hub.graphs.all().iter().map(|graph| graph.summary()).collect::<Vec<_>>())
}

async fn graph(State(hub): Shared, Path(graph): Path<u32>) -> Answer {
    Ok(as_json(&hub.graphs.get(graph)?.info(&hub.options.catalog)))
}

async fn graph_metrics(State(hub): Shared, Path(graph): Path<u32>) -> Answer {
    Ok(as_json(&metrics_of(&*hub.graphs.get(graph)?).await))
}

async fn set(State(hub): Shared, Path(graph): Path<u32>, body: Body) -> Answer {
    let Set { block, parameter, value, at } = read(body).await?;
    let control = hub.graphs.get(graph)?.control();
    let path = format!("{block}.{parameter}");
    let value = Value::from_json(&value);
    let receipt = match at {
        Some(at) => control.set_at(path.as_str(), value, at),
        None => control.set(path.as_str(), value),
    };
    let receipt = receipt.map_err(|error| Refusal::wrong(error.to_string()))?;
    // A block that is at rest takes the change when it goes on; the answer does not wait for that.
    let waited =
        tokio::task::spawn_blocking(move || receipt.wait(std::time::Duration::from_millis(200))).await;
    match waited {
        Ok(Ok(at)) => Ok(as_json(&json!({ "at": at }))),
        Ok(Err(error)) => Err(Refusal::wrong(error.to_string())),
        Err(error) => Err(Refusal { status: 500, sentence: error.to_string() }),
    }
}

async fn stop(State(hub): Shared, Path(graph): Path<u32>) -> Answer {
    hub.graphs.get(graph)?.control().stop();
    Ok(as_json(&json!({})))
}

async fn start(State(hub): Shared, Path(graph): Path<u32>) -> Answer {
    let graph = hub.graphs.get(graph)?;
    hub.start(&graph).await?;
    Ok(as_json(&json!({})))
}

async fn replace(State(hub): Shared, Path(graph): Path<u32>, body: Body) -> Answer {
    let Replace { block, kind, parameters } = read(body).await?;
    let graph = hub.graphs.get(graph)?;
    let entry = hub.options.catalog.iter().find(|entry| entry.name == kind);
    let entry = entry.ok_or_else(|| Refusal::unknown(format!("there is no block type {kind}")))?;
    if !stays_inside(entry) {
        return Err(Refusal::forbidden(format!(
            "{kind} may reach files or sockets: no viewer puts it into a graph"
        )));
    }
    let given: BTreeMap<String, Value> =
        parameters.iter().map(|(name, value)| (name.clone(), Value::from_json(value))).collect();
    let made = entry.build(&given).map_err(|errors| {
        let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Refusal::wrong(problems.join("; "))
    })?;
    let (control, name) = (graph.control(), block.clone());
    edit(move || control.reconfigure(|edit| edit.replace_with(&name, made))).await?;
    graph.describe(&block, &kind, given);
    graph.changed();
    hub.tell(Event::Graphs);
    Ok(as_json(&json!({})))
}

/// Whether a block works on streams alone: one that has a stream on both sides, and names no file.
fn stays_inside(entry: &Entry) -> bool {
    let streams =
        |direction| entry.ports.iter().any(|port| port.direction == direction && port.items != "messages");
    let is_inner = streams(Direction::In) && streams(Direction::Out);
    is_inner && !entry.params.iter().any(|param| param.kind == Kind::Path)
}

async fn record(State(hub): Shared, Path(graph): Path<u32>, body: Body) -> Answer {
    let asked: Record = read(body).await?;
    let graph = hub.graphs.get(graph)?;
    let (id, file) = hub.records.begin(&graph, hub.options.records.as_deref(), asked).await?;
    Ok(as_json(&json!({ "id": id, "file": file })))
}

async fn end_record(State(hub): Shared, Path(record): Path<u32>) -> Answer {
    hub.records.end(record).await?;
    Ok(as_json(&json!({})))
}

async fn description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi::TEXT).into_response()
}

async fn prometheus_text(State(hub): Shared) -> Response {
    let graphs = hub.graphs.all();
    let reports: Vec<_> =
        graphs.iter().map(|graph| (graph.name.clone(), graph.control().metrics())).collect();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], prometheus::text(&reports))
        .into_response()
}

/// The page's files, and what is not there.
async fn anything(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/api/") {
        return refused(&Refusal::unknown(format!("there is no {path}: /api/openapi.json has all")));
    }
    match *request.method() {
        Method::GET | Method::HEAD => page::file(path, request.headers()),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}
