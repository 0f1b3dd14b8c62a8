//! Recording streams of running graphs: a block that writes SigMF is added for as long as it is wanted.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use superhet_io::SampleFormat;
use superhet_io::blocks::{FileItem, SigmfSink};
use superhet_runtime::{AnyBlock, C32};

use crate::api::Record;
use crate::error::Refusal;
use crate::shape::{Known, OWN};
use crate::tap::points::edit;
use crate::watched::Watched;

/// The recordings that are being made.
#[derive(Debug, Default)]
pub(crate) struct Records {
    open: Arc<Mutex<HashMap<u32, Open>>>,
    next: AtomicU32,
}

#[derive(Clone, Debug)]
struct Open {
    graph: Arc<Watched>,
    block: String,
}

impl Records {
    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Open>> {
        lock(&self.open)
    }

    /// Begins one below `folder`; gives its number and the file.
    pub async fn begin(
        &self,
        graph: &Arc<Watched>,
        folder: Option<&Path>,
        asked: Record,
    ) -> Result<(u32, String), Refusal> {
        let folder = folder.ok_or_else(|| {
            Refusal::conflict(
                "nothing can be recorded: the dashboard was started without a folder, --record-dir",
            )
        })?;
        if asked.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 1e9)) {
            return Err(Refusal::wrong("seconds: expected a number above 0"));
        }
        let path = below(folder, &asked.file)?;
        let _as_it_is = graph.points.hold().await;
        let shape = graph.shape();
        let edge = shape.edge(&asked.stream);
        let edge = edge.ok_or_else(|| Refusal::unknown(format!("there is no stream {:?}", asked.stream)))?;
        let output = edge.beside.map(|beside| shape.output_ref(beside)).ok_or_else(|| {
            Refusal::conflict("the stream stays as it is: one of its blocks waits for the outside world")
        })?;
        if let Some(from) = asked.annotations.as_ref().filter(|from| shape.message_output(from).is_none()) {
            return Err(Refusal::unknown(format!(
                "there is no output {}.{} for messages",
                from.block, from.port
            )));
        }
        let item = shape.item(edge.from).unwrap_or_default();
        let sink = sink(item, &path, graph.known(&shape.output_ref(edge.from)))?;
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let block = format!("{OWN}recording {id}");
        let open = Open { graph: graph.clone(), block: block.clone() };
        // It is known from the beginning, so that it ends with its graph even if the viewer goes meanwhile.
        self.lock().insert(id, open);
        let control = graph.control();
        let added = edit(move || {
            control.reconfigure(|edit| {
                edit.add_any(block.as_str(), sink);
                edit.connect_names(&format!("{}.{}", output.block, output.port), &format!("{block}.in"));
                if let Some(from) = asked.annotations {
                    edit.connect_names(
                        &format!("{}.{}", from.block, from.port),
                        &format!("{block}.annotations"),
                    );
                }
            })
        });
        if let Err(refusal) = added.await {
            self.lock().remove(&id);
            return Err(refusal);
        }
        graph.changed();
        if let Some(seconds) = asked.seconds {
            let all = self.open.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                // It may have been ended before.
                let Some(open) = lock(&all).remove(&id) else { return };
                if let Err(refusal) = take_out(open).await {
                    tracing::debug!("a recording ended with its graph: {}", refusal.sentence);
                }
            });
        }
        Ok((id, asked.file))
    }

    /// Ends one: its file is complete then.
    pub async fn end(&self, id: u32) -> Result<(), Refusal> {
        let open = self.lock().remove(&id);
        take_out(open.ok_or_else(|| Refusal::unknown(format!("there is no recording {id}")))?).await
    }

    /// Ends those that nobody reads beside; with `all`, all others of the graph, too.
    pub async fn sweep(&self, graph: &Arc<Watched>, all: bool) {
        let mine: Vec<(u32, Open)> = {
            let open = self.lock();
            let mine = open.iter().filter(|(_, open)| open.graph.id == graph.id);
            mine.map(|(id, open)| (*id, open.clone())).collect()
        };
        if mine.is_empty() {
            return;
        }
        let shape = graph.fresh_shape();
        for (id, open) in mine {
            if all || shape.reads_alone(&open.block) {
                self.lock().remove(&id);
                if let Err(refusal) = take_out(open).await {
                    tracing::debug!("a recording ends with its graph: {}", refusal.sentence);
                }
            }
        }
    }
}

fn lock(open: &Mutex<HashMap<u32, Open>>) -> MutexGuard<'_, HashMap<u32, Open>> {
    open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

async fn take_out(open: Open) -> Result<(), Refusal> {
    let Open { graph, block, .. } = open;
    let control = graph.control();
    edit(move || control.reconfigure(|edit| edit.remove(&block))).await?;
    graph.changed();
    Ok(())
}

/// A file below the folder; one that leads elsewhere is refused.
fn below(folder: &Path, file: &str) -> Result<PathBuf, Refusal> {
    let wrong = || {
        Refusal::wrong(format!(
            "file = {file:?}: expected a name below the folder for recordings, without . and .."
        ))
    };
    let path = Path::new(file);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let is_shown = |part: &std::ffi::OsStr| !part.to_string_lossy().starts_with('.');
    if file.is_empty()
        || file.len() > 200
        || file.contains(['\0', '\\'])
        || !is_plain
        || !path.iter().all(is_shown)
    {
        return Err(wrong());
    }
    let missing = |error| Refusal::conflict(format!("the folder for recordings: {error}"));
    let folder = folder.canonicalize().map_err(missing)?;
    let whole = folder.join(path);
    let parent = whole.parent().map(Path::canonicalize).ok_or_else(wrong)?.map_err(missing)?;
    // A link may lead out of the folder.
    match parent.starts_with(&folder) {
        true => Ok(parent.join(whole.file_name().ok_or_else(wrong)?)),
        false => Err(wrong()),
    }
}

/// What writes items of that type.
fn sink(item: &str, path: &Path, known: Known) -> Result<AnyBlock, Refusal> {
    fn of<T: FileItem>(path: &Path, format: SampleFormat, known: Known) -> Result<AnyBlock, Refusal> {
        let sink = SigmfSink::<T>::create(path, format, known.rate_hz, known.center_hz);
        Ok(AnyBlock::new(sink.map_err(|error| Refusal::conflict(error.to_string()))?))
    }
    match item {
        "C32" => of::<C32>(path, SampleFormat::CF32, known),
        "f32" => of::<f32>(path, SampleFormat::F32, known),
        "cu8" => of::<[u8; 2]>(path, SampleFormat::CU8, known),
        "cs8" => of::<[i8; 2]>(path, SampleFormat::CS8, known),
        "cs16" => of::<[i16; 2]>(path, SampleFormat::CS16, known),
        _ => Err(Refusal::conflict(format!("streams of {item} cannot be recorded"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_below_the_folder() {
        let folder = std::env::temp_dir().join(format!("superhet-records-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("in")).unwrap();
        assert!(below(&folder, "a").is_ok() && below(&folder, "in/a").is_ok());
        for file in
            ["", "/etc/x", "../x", "in/../../x", ".x", "in/.x", "a\0b", "in\\x", "./x", &"x".repeat(201)]
        {
            assert_eq!(below(&folder, file).unwrap_err().status, 400, "{file:?}");
        }
        assert_eq!(below(&folder, "nowhere/a").unwrap_err().status, 409);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/", folder.join("out")).unwrap();
            assert_eq!(below(&folder, "out/a").unwrap_err().status, 400);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
