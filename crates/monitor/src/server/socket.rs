//! The WebSocket of a viewer: RFC 6455 behind the upgrade of an HTTP request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role as Side, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message as Frame};

use super::answer::{Answer, MOST_BYTES};
use super::hub::{Hub, Seat};
use super::outbox::{Message, Outbox};
use super::security::protocol;
use super::session::Session;
use crate::error::Refusal;

/// Opens the connection of a viewer.
pub(super) async fn open(State(hub): State<Arc<Hub>>, mut request: Request) -> Answer {
    let headers = request.headers();
    let has = |name: header::HeaderName, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(word))
    };
    let is_right = has(header::CONNECTION, "upgrade")
        && has(header::UPGRADE, "websocket")
        && has(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_right);
    let Some(accept) = key.map(|key| derive_accept_key(key.as_bytes())) else {
        return Err(Refusal {
            status: 426,
            sentence: "a WebSocket (version 13) is expected here".to_owned(),
        });
    };
    let chosen = protocol(headers).and_then(|protocol| HeaderValue::from_str(protocol).ok());
    let seat = hub.seat()?;
    let upgrade = request.extensions_mut().remove::<OnUpgrade>();
    let upgrade = upgrade.ok_or_else(|| Refusal::wrong("this connection cannot become a WebSocket"))?;
    tokio::spawn(async move {
        match upgrade.await {
            Ok(upgraded) => serve(hub, seat, upgraded).await,
            Err(error) => tracing::debug!("a viewer did not stay: {error}"),
        }
    });
    let head = [
        (header::CONNECTION, HeaderValue::from_static("upgrade")),
        (header::UPGRADE, HeaderValue::from_static("websocket")),
    ];
    let mut response = (StatusCode::SWITCHING_PROTOCOLS, head, Body::empty()).into_response();
    if let Ok(accept) = HeaderValue::from_str(&accept) {
        response.headers_mut().insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    }
    if let Some(chosen) = chosen {
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, chosen);
    }
    Ok(response)
}

/// Serves a viewer until one side goes.
async fn serve(hub: Arc<Hub>, _seat: Seat, upgraded: Upgraded) {
    let limits = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES))
        // Frames go out as they are: what waits here would be old when it is read.
        .write_buffer_size(0);
    let stream = TokioIo::new(upgraded);
    let socket = WebSocketStream::from_raw_socket(stream, Side::Server, Some(limits)).await;
    let (mut sink, mut source) = socket.split();
    let outbox = Arc::new(Outbox::default());
    let mut session = Session::new(hub, outbox.clone());
    let sends = async {
        while let Some(message) = outbox.next().await {
            let frame = match message {
                Message::Text(text) => Frame::text(text),
                Message::Binary(bytes) => Frame::binary(Bytes::from(bytes)),
            };
            if sink.send(frame).await.is_err() {
                return;
            }
        }
        let _ = sink.close().await;
    };
    let hears = async {
        while let Some(Ok(frame)) = source.next().await {
            match frame {
                Frame::Text(text) => session.hear(&text),
                Frame::Close(_) => return,
                // Binary frames mean nothing here; pings are answered by the protocol.
                _ => {}
            }
        }
    };
    tokio::select! {
        () = sends => {}
        () = hears => {}
    }
}
