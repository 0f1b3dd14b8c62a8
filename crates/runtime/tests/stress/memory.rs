//! The memory of this process over a long run, which must stay flat.

use std::io::Write as _;
use std::time::{Duration, Instant};

/// What it may grow by after the first tenth of the time.
const MOST_GROWTH_BYTES: u64 = 32 << 20;
const BETWEEN_LOOKS: Duration = Duration::from_secs(60);

/// What is in use after the first tenth, with which all that follows is compared.
#[derive(Default)]
struct Base(Option<u64>);

impl Base {
    /// Takes what is in use when `part` of the time has passed.
    fn note(&mut self, part: f64, bytes: u64) -> Result<(), String> {
        if part < 0.1 {
            return Ok(());
        }
        let base = *self.0.get_or_insert(bytes);
        let limit = base + MOST_GROWTH_BYTES;
        if bytes <= limit { Ok(()) } else { Err(format!("{bytes} bytes in use, {base} before")) }
    }
}

/// Watches until `length` has passed or `is_over`, and writes a line every minute.
pub fn watch(length: Duration, is_over: impl Fn() -> bool, state: impl Fn() -> String) -> Result<(), String> {
    let (start, mut base, mut next) = (Instant::now(), Base::default(), length / 10);
    while !is_over() && start.elapsed() < length {
        std::thread::sleep(Duration::from_millis(50));
        let elapsed = start.elapsed();
        if elapsed >= next.min(length) {
            next = elapsed + BETWEEN_LOOKS;
            let bytes = resident_bytes();
            let used =
                bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0));
            // Tests keep what the macros print.
            let _ =
                writeln!(std::io::stderr(), "{:4.0} s: {}, {used} in use", elapsed.as_secs_f64(), state());
            bytes.map_or(Ok(()), |bytes| base.note(elapsed.div_duration_f64(length), bytes))?;
        }
    }
    Ok(())
}

/// The memory of this process that is in use, where the system reports it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(kib.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[test]
fn memory_that_grows_after_the_first_tenth_is_found() {
    let mut base = Base::default();
    assert_eq!(base.note(0.09, 1 << 40), Ok(()));
    assert_eq!(base.note(0.1, 1000), Ok(()));
    assert_eq!(base.note(0.5, 1000 + MOST_GROWTH_BYTES), Ok(()));
    let problem = base.note(1.0, 1001 + MOST_GROWTH_BYTES).unwrap_err();
    assert_eq!(problem, "33555433 bytes in use, 1000 before");
}
