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
}

impl Machine {
    /// Reads the sizes from the system; where it does not tell, 32 KiB and 1 MiB are assumed.
    pub fn detect() -> Self {
        Machine {
            l1_bytes: cache_bytes(1).unwrap_or(32 << 10),
            l2_bytes: cache_bytes(2).unwrap_or(1 << 20),
            cpus: allowed_cpus(),
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

fn allowed_cpus() -> Vec<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        return (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect();
    }
    (0..std::thread::available_parallelism().map_or(1, |n| n.get())).collect()
}

/// Binds the calling thread to one processor. Elsewhere than on Linux nothing happens.
pub(crate) fn pin_to(cpu: usize) -> std::io::Result<()> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        if cpu >= rustix::thread::CpuSet::MAX_CPU {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let mut set = rustix::thread::CpuSet::new();
        set.set(cpu);
        rustix::thread::sched_setaffinity(None, &set)?;
    }
    let _ = cpu;
    Ok(())
}
