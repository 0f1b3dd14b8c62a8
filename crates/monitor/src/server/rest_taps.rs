//! Taps without a WebSocket, for programs that want a spectrum now and then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::answer::{Answer, as_json, read};
use super::hub::Hub;
use crate::api::{Tap, View};
use crate::error::Refusal;
use crate::shape::Known;
use crate::tap::points::{StreamView, look_at_stream};
use crate::view::Draw as _;
use crate::view::samples::Samples;
use crate::view::spectrum::Spectrum;

/// How many there can be.
const MOST: usize = 64;
/// How long a spectrum waits for samples.
const PATIENCE: Duration = Duration::from_secs(10);

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct RestTaps(Mutex<HashMap<u16, Arc<RestTap>>>);

#[derive(Debug)]
struct RestTap {
    tap: Tap,
    looking: StreamView,
}

impl RestTaps {
    fn lock(&self) -> MutexGuard<'_, HashMap<u16, Arc<RestTap>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Ends all.
    pub fn clear(&self) {
        self.lock().clear();
    }
}

fn no_tap(id: u16) -> Refusal {
    Refusal::unknown(format!("there is no tap {id}: POST /api/taps makes one"))
}

/// `POST /api/taps`
pub(super) async fn add(State(hub): State<Arc<Hub>>, body: Body) -> Answer {
    let tap: Tap = read(body).await?;
    if tap.view != View::Spectrum {
        return Err(Refusal::wrong(
            "only the view spectrum is given one by one: others come through /api/ws",
        ));
    }
    let stream = tap.stream.as_deref().ok_or_else(|| Refusal::wrong("a spectrum needs a stream"))?;
    if hub.rest_taps.lock().len() >= MOST {
        return Err(Refusal::too_many(format!(
            "there are {MOST} taps already: DELETE /api/taps/ID ends one"
        )));
    }
    let graph = hub.graphs.get(tap.graph)?;
    let looking = look_at_stream(&graph, stream).await?;
    // What is wrong with it is to be known now.
    Spectrum::new(&tap, looking.item, graph.known(&looking.from))?;
    let mut taps = hub.rest_taps.lock();
    let id = loop {
        let id = hub.tap_number();
        if !taps.contains_key(&id) {
            break id;
        }
    };
    taps.insert(id, Arc::new(RestTap { tap, looking }));
    Ok(as_json(&json!({ "id": id })))
}

/// `DELETE /api/taps/ID`
pub(super) async fn end(State(hub): State<Arc<Hub>>, Path(id): Path<u16>) -> Answer {
    hub.rest_taps.lock().remove(&id).ok_or_else(|| no_tap(id))?;
    Ok(as_json(&json!({})))
}

/// `GET /api/taps/ID/spectrum`
pub(super) async fn spectrum(State(hub): State<Arc<Hub>>, Path(id): Path<u16>, request: Request) -> Answer {
    let found = hub.rest_taps.lock().get(&id).cloned().ok_or_else(|| no_tap(id))?;
    let (tap, looking) = (&found.tap, &found.looking);
    let graph = hub.graphs.get(tap.graph)?;
    let said = looking.tap.known();
    if said != Known::default() {
        graph.note(&looking.from, said);
    }
    let known = graph.known(&looking.from);
    let mut spectrum = Spectrum::new(tap, looking.item, known)?;
    let slot = looking.tap.slot();
    slot.want(spectrum.items() * Samples::item_bytes(looking.item));
    let taken = tokio::time::timeout(PATIENCE, slot.take(|| looking.tap.is_over())).await;
    looking.tap.remove(&slot);
    let captured = match taken {
        Ok(Some(captured)) => captured,
        Ok(None) => return Err(Refusal::conflict("the stream has ended")),
        Err(_) => {
            let sentence = format!("{} samples did not come within {PATIENCE:?}", spectrum.items());
            return Err(Refusal { status: 504, sentence });
        }
    };
    let db = spectrum.row(&Samples::of(looking.item, &captured.bytes));
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_npy = request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "format=npy"))
        || accepts.is_some_and(|accepts| accepts.contains("application/octet-stream"));
    if is_npy {
        return Ok(npy(&db));
    }
    let span = spectrum.span_hz();
    Ok(as_json(&json!({
        "first_sample": captured.first,
        "rate_hz": known.rate_hz,
        "center_hz": known.center_hz,
        "first_hz": span.map(|(first, _)| first),
        "last_hz": span.map(|(_, last)| last),
        "db": db,
    })))
}

/// An array of `f32` as numpy stores it: NEP 1, version 1.0.
fn npy(values: &[f32]) -> Response {
    let mut head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.len());
    // Magic, version and length take 10 bytes; with the header they are a multiple of 64.
    while !(10 + head.len() + 1).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
}
