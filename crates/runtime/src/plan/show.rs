//! A plan in words.

use std::fmt;

use super::{BufferPlan, Plan, StreamPlan};

fn list(cpus: &[usize]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Plan {
    fn buffer_words(&self, stream: &StreamPlan) -> String {
        let bytes = |items: usize| {
            let bytes = items * stream.item_bytes;
            if bytes >= 10 << 10 { format!("{} KiB", bytes >> 10) } else { format!("{bytes} B") }
        };
        match &self.buffers[stream.buffer] {
            _ if stream.stage > 0 => "in place".to_owned(),
            BufferPlan::Scratch { spec, pool } => {
                let scratch = format!("scratch of {}", bytes(spec.capacity + spec.history + spec.preload));
                match self.pool(*pool) {
                    Some(pool) => format!("{scratch} in memory {pool}"),
                    None => scratch,
                }
            }
            BufferPlan::Kept => "ring that was there".to_owned(),
            BufferPlan::Inside => "scratch of each worker".to_owned(),
            BufferPlan::Ring(spec) if spec.mirrored => format!("mirrored ring of {}", bytes(spec.capacity)),
            BufferPlan::Ring(spec) => format!("ring of {}", bytes(spec.capacity)),
        }
    }

    /// A pool, where several streams share it.
    fn pool(&self, pool: Option<usize>) -> Option<usize> {
        pool.filter(|&pool| self.pools[pool].pieces > 1)
    }

    /// The plan as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::json;
        let name = |block: usize| self.names[block].name.as_str();
        json!({
            "scheduler": self.scheduler,
            "machine": {
                "l1_bytes": self.machine.l1_bytes, "l2_bytes": self.machine.l2_bytes, "cpus": self.machine.cpus,
                "nodes": self.machine.nodes,
            },
            "regions": self.regions.iter().map(|region| json!({
                "lanes": region.lanes, "workers": region.workers, "pinned_to": region.cpus,
            })).collect::<Vec<_>>(),
            "lanes": self.lanes.iter().map(|lane| json!({
                "cpu": lane.cpu,
                "shared": lane.shared,
                "blocks": lane.blocks.iter().map(|&b| name(b)).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "streams": self.streams.iter().map(|s| json!({
                "from": name(s.from.block),
                "to": s.readers.iter().map(|r| name(r.block)).collect::<Vec<_>>(),
                "strip_items": s.strip,
                "item_bytes": s.item_bytes,
                "buffer": s.buffer,
                "kind": self.buffer_words(s),
                "memory": match &self.buffers[s.buffer] {
                    BufferPlan::Scratch { pool, .. } => self.pool(*pool),
                    _ => None,
                },
            })).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "scheduler {}, {} KiB level-1 and {} KiB level-2 cache, {} processors",
            self.scheduler,
            self.machine.l1_bytes >> 10,
            self.machine.l2_bytes >> 10,
            self.machine.cpus.len()
        )?;
        if self.machine.nodes.len() > 1 {
            for (index, cpus) in self.machine.nodes.iter().enumerate() {
                writeln!(f, "memory node {index}: processors {}", list(cpus))?;
            }
        }
        for region in self.regions.iter().filter(|region| !region.cpus.is_empty() && region.workers > 1) {
            writeln!(f, "{} workers, on processors {}", region.workers, list(&region.cpus))?;
        }
        for (index, lane) in self.lanes.iter().enumerate() {
            match (lane.cpu, &lane.chain) {
                (Some(cpu), _) => writeln!(f, "lane {index}, on processor {cpu}:")?,
                (_, Some(chain)) => writeln!(
                    f,
                    "lane {index}, shared between workers, strips of {} items{}, claims of at most {}{}{}:",
                    chain.portions.strip,
                    match chain.portions.long {
                        long if long > chain.portions.strip => format!(" or {long} where that is faster"),
                        _ => String::new(),
                    },
                    chain.portions.most,
                    match chain.shape.warm_up {
                        0 => String::new(),
                        items => format!(", {items} computed again before each"),
                    },
                    match chain.shape.links.iter().filter(|link| link.has_state).count() {
                        0 => "",
                        1 => ", one block takes them in turns",
                        _ => ", blocks with a state take them in turns",
                    }
                )?,
                (None, None) => writeln!(f, "lane {index}:")?,
            }
            for &block in &lane.blocks {
                let names = &self.names[block];
                let blocking = if names.blocking { ", waits for the outside world" } else { "" };
                writeln!(f, "  {} ({}{blocking})", names.name, names.level)?;
                for stream in self.streams.iter().filter(|stream| stream.from.block == block) {
                    let readers: Vec<&str> =
                        stream.readers.iter().map(|r| self.names[r.block].name.as_str()).collect();
                    writeln!(
                        f,
                        "    -> {}: {}, strips of {} items ({} B)",
                        readers.join(", "),
                        self.buffer_words(stream),
                        stream.strip,
                        stream.strip * stream.item_bytes
                    )?;
                }
            }
        }
        Ok(())
    }
}
