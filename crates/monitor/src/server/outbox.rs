//! What waits to be sent to one viewer. It does not grow when the viewer does not read: of each view the latest frame stays.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

use crate::frame::{Frame, Kind};

/// The most answers that wait; a viewer who asks for more without reading is let go.
const MOST_ANSWERS: usize = 1000;
/// The most pieces of audio that wait, each of about 20 ms. Older ones are dropped.
const MOST_AUDIO: usize = 25;

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    Text(String),
    Binary(Vec<u8>),
}

/// What waits for one viewer.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    answers: VecDeque<String>,
    /// Per graph.
    metrics: BTreeMap<u32, Arc<str>>,
    /// Per tap.
    logs: BTreeMap<u16, String>,
    frames: BTreeMap<u16, Frames>,
    /// The tap whose turn was last.
    last: u16,
    /// The viewer is let go.
    is_over: bool,
}

/// The frames of a tap.
#[derive(Debug, Default)]
struct Frames {
    waiting: VecDeque<Frame>,
    sequence: u32,
    lost: u32,
}

impl Outbox {
    /// Sends an answer or an event.
    pub fn say(&self, json: &serde_json::Value) {
        let mut waiting = self.lock();
        if waiting.answers.len() >= MOST_ANSWERS {
            waiting.is_over = true;
        }
        waiting.answers.push_back(json.to_string());
        drop(waiting);
        self.news.notify_one();
    }

    /// Shows the metrics of a graph, instead of those that wait.
    pub fn show(&self, graph: u32, metrics: Arc<str>) {
        self.lock().metrics.insert(graph, metrics);
        self.news.notify_one();
    }

    /// Whether a tap's log can be sent.
    pub fn takes_log(&self, tap: u16) -> bool {
        !self.lock().logs.contains_key(&tap)
    }

    /// Sends the log of a tap.
    pub fn log(&self, tap: u16, text: String) {
        self.lock().logs.insert(tap, text);
        self.news.notify_one();
    }

    /// Sends a frame. `lost` is what is missing before it, besides what this viewer did not read.
    pub fn draw(&self, tap: u16, frame: Frame, lost: u32) {
        let mut waiting = self.lock();
        let frames = waiting.frames.entry(tap).or_default();
        let most = if frame.kind == Kind::Audio { MOST_AUDIO } else { 1 };
        while frames.waiting.len() >= most {
            frames.waiting.pop_front();
            frames.lost = frames.lost.saturating_add(1);
        }
        frames.lost = frames.lost.saturating_add(lost);
        frames.waiting.push_back(frame);
        drop(waiting);
        self.news.notify_one();
    }

    /// Forgets what waits of a tap.
    pub fn forget(&self, tap: u16) {
        let mut waiting = self.lock();
        waiting.frames.remove(&tap);
        waiting.logs.remove(&tap);
    }

    /// Forgets what waits of a graph.
    pub fn forget_graph(&self, graph: u32) {
        self.lock().metrics.remove(&graph);
    }

    /// What is to be sent next; `None` at the end.
    pub async fn next(&self) -> Option<Message> {
        loop {
            {
                let mut waiting = self.lock();
                if waiting.is_over {
                    return None;
                }
                if let Some(message) = waiting.next() {
                    return Some(message);
                }
            }
            self.news.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Waiting {
    fn next(&mut self) -> Option<Message> {
        if let Some(answer) = self.answers.pop_front() {
            return Some(Message::Text(answer));
        }
        if let Some((_, metrics)) = self.metrics.pop_first() {
            return Some(Message::Text(metrics.to_string()));
        }
        if let Some((_, log)) = self.logs.pop_first() {
            return Some(Message::Text(log));
        }
        // Each tap in its turn.
        let behind =
            self.frames.range(self.last.saturating_add(1)..).find(|(_, frames)| !frames.waiting.is_empty());
        let found = behind.or_else(|| self.frames.iter().find(|(_, frames)| !frames.waiting.is_empty()));
        let tap = *found?.0;
        self.last = tap;
        let frames = self.frames.get_mut(&tap)?;
        let frame = frames.waiting.pop_front()?;
        let bytes = frame.bytes(tap, frames.sequence, std::mem::take(&mut frames.lost));
        frames.sequence = frames.sequence.wrapping_add(1);
        Some(Message::Binary(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::HEADER;

    fn next(outbox: &Outbox) -> Option<Message> {
        outbox.lock().next()
    }

    #[test]
    fn the_latest_frame_wins_and_says_how_many_are_missing() {
        let outbox = Outbox::default();
        for number in 0..5 {
            outbox.draw(7, Frame::new(Kind::Spectrum, number), 0);
        }
        let Some(Message::Binary(bytes)) = next(&outbox) else { panic!("no frame") };
        assert_eq!((bytes[12], bytes[16], bytes.len()), (4, 4, HEADER));
        assert_eq!(next(&outbox), None);
        outbox.draw(7, Frame::new(Kind::Spectrum, 9), 2);
        let Some(Message::Binary(bytes)) = next(&outbox) else { panic!("no frame") };
        assert_eq!((bytes[8], bytes[12]), (1, 2));
    }

    #[test]
    fn taps_take_turns() {
        let outbox = Outbox::default();
        let mut order = Vec::new();
        for _ in 0..6 {
            [1, 2, 3].into_iter().for_each(|tap| outbox.draw(tap, Frame::new(Kind::Time, 0), 0));
            let Some(Message::Binary(bytes)) = next(&outbox) else { panic!("no frame") };
            order.push(bytes[2]);
        }
        assert_eq!(order, [1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn a_viewer_who_asks_and_does_not_read_is_let_go() {
        let outbox = Outbox::default();
        (0..=MOST_ANSWERS).for_each(|n| outbox.say(&n.into()));
        assert!(outbox.lock().is_over);
    }
}
