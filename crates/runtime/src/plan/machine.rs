//! What the machine has: caches and cores.

/// The sizes that a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Level-1 data cache of one core, in bytes.
    pub l1_bytes: usize,
    /// Level-2 cache of one core, in bytes.
    pub l2_bytes: usize,
    /// The processors that this process may run on.
    pub cpus: Vec<usize>,
    /// Those of them near each part of the memory; one list on most machines. Memory lies near the processor that touches
    /// it first, so each worker makes its own.
    pub nodes: Vec<Vec<usize>>,
}

impl Machine {
    /// Reads the sizes from the system; where it does not tell, 32 KiB and 1 MiB are assumed.
    pub fn detect() -> Self {
        let cpus = allowed_cpus();
        Machine {
            l1_bytes: cache_bytes(1).unwrap_or(32 << 10),
            l2_bytes: cache_bytes(2).unwrap_or(1 << 20),
            nodes: nodes(&cpus),
            cpus,
        }
    }
}

/// The size of the data or unified cache of that level, as Linux tells it.
fn cache_bytes(level: u32) -> Option<usize> {
    (0..8).find_map(|index| {
        let read = |file: &str| {
            std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}")).ok()
        };
        let right = read("level")?.trim() == level.to_string() && read("type")?.trim() != "Instruction";
        let size = read("size")?;
        let kib: usize = size.trim().strip_suffix('K')?.parse().ok()?;
        right.then_some(kib << 10)
    })
}

/// The processors of each memory node, as Linux tells it; nodes without processors left out.
fn nodes(cpus: &[usize]) -> Vec<Vec<usize>> {
    let folder = std::fs::read_dir("/sys/devices/system/node").into_iter().flatten().flatten();
    let mut nodes: Vec<(usize, Vec<usize>)> = folder
        .filter_map(|entry| {
            let index = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            let mut here = parse_cpus(&std::fs::read_to_string(entry.path().join("cpulist")).ok()?)?;
            here.retain(|cpu| cpus.contains(cpu));
            (!here.is_empty()).then_some((index, here))
        })
        .collect();
    nodes.sort_unstable();
    if nodes.is_empty() { vec![cpus.to_vec()] } else { nodes.into_iter().map(|(_, cpus)| cpus).collect() }
}

/// Reads a list such as `0-3,8`.
fn parse_cpus(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(cpus)
}

fn allowed_cpus() -> Vec<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        return (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect();
    }
    (0..std::thread::available_parallelism().map_or(1, |n| n.get())).collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read_as_linux_writes_them() {
        assert_eq!(parse_cpus("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(parse_cpus("5\n"), Some(vec![5]));
        assert_eq!(parse_cpus("\n"), Some(Vec::new()));
        assert_eq!(parse_cpus("0-x"), None);
    }

    #[test]
    fn every_processor_is_near_some_memory() {
        let machine = Machine::detect();
        let mut near = machine.nodes.concat();
        near.sort_unstable();
        assert_eq!(near, machine.cpus);
    }
}
