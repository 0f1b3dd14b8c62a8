//! Which variant of each op is the fastest on this machine, as `superhet profile` measured it.
//!
//! The profile is a file of a few lines of TOML, read when the first op is called, and by programs that only link this
//! crate as well:
//!
//! ```toml
//! [machine]
//! cpu = "AMD EPYC (00a10f11)"
//! version = "0.1.0"
//!
//! [variants]
//! saxpy = "avx2"
//! ```
//!
//! It lies at [`path`](fn@path), and is a regular file of at most 64 KiB. Without one, or for an op that it does not name, calls go to the first variant of the
//! op's table. `SUPERHET_KERNEL` overrides it. A profile that cannot be read, or was made on another processor or by
//! another version, is reported once on stderr and ignored, and so is a single choice that cannot be followed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The chosen variants by the name of their op.
pub type Choices = BTreeMap<String, String>;

/// Where the profile is read: the file that `SUPERHET_KERNELS` names (no file, if it is empty), or else
/// `superhet/kernels.toml` in the user's configuration folder.
pub fn path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("SUPERHET_KERNELS") {
        return (!path.is_empty()).then(|| path.into());
    }
    let folder = |name| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let config = folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")));
    config.map(|config| config.join("superhet").join("kernels.toml"))
}

/// The profile of this machine with these choices, as text.
///
/// ```
/// use superhet_kernels::profile;
/// let choices = [("saxpy".to_owned(), "scalar".to_owned())].into();
/// assert_eq!(profile::read(&profile::text(&choices)), Ok(choices));
/// ```
pub fn text(choices: &Choices) -> String {
    let mut text = format!(
        "# The fastest variant of each kernel on this machine. Written by `superhet profile`.\n\n\
         [machine]\ncpu = \"{}\"\nversion = \"{VERSION}\"\n\n[variants]\n",
        cpu()
    );
    for (op, variant) in choices {
        let _ = writeln!(text, "{op} = \"{variant}\"");
    }
    text
}

/// The longest profile, in bytes: some hundred ops take less than a tenth of it.
const LONGEST: u64 = 64 << 10;

/// The text of the profile `path`.
///
/// # Errors
/// Those of reading, and for what is no regular file of at most 64 KiB: a pipe would be waited for, and a device may
/// never end.
pub fn read_file(path: &Path) -> std::io::Result<String> {
    let wrong = |problem: &str| Err(Error::new(ErrorKind::InvalidInput, problem));
    // Opening a pipe waits already.
    if !std::fs::metadata(path)?.is_file() {
        return wrong("it is no regular file");
    }
    let mut text = String::new();
    let bytes = std::fs::File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
    if bytes as u64 > LONGEST { wrong("it is longer than 64 KiB") } else { Ok(text) }
}

/// Reads a profile of this machine; says in a sentence why it cannot be used.
pub fn read(text: &str) -> Result<Choices, String> {
    let mut section = "";
    let mut machine = Choices::new();
    let mut choices = Choices::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
            continue;
        }
        let wrong = || format!("line {} is not `name = \"value\"`", number + 1);
        let (name, value) = line.split_once('=').ok_or_else(wrong)?;
        let value =
            value.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(wrong)?;
        let into = match section {
            "machine" => &mut machine,
            "variants" => &mut choices,
            _ => return Err(format!("line {} is in no section that a profile has", number + 1)),
        };
        into.insert(name.trim().to_owned(), value.to_owned());
    }
    for (name, mine) in [("cpu", cpu()), ("version", VERSION)] {
        match machine.get(name) {
            Some(theirs) if theirs == mine => {}
            Some(theirs) => return Err(format!("it is for the {name} {theirs:?}, this is {mine:?}")),
            None => return Err(format!("it does not say its {name}")),
        }
    }
    Ok(choices)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The model of the processor, as it names itself.
fn cpu() -> &'static str {
    static CPU: LazyLock<String> = LazyLock::new(model);
    &CPU
}

#[cfg(not(target_arch = "x86_64"))]
fn model() -> String {
    std::env::consts::ARCH.to_owned()
}

/// The brand and the signature, which tells family, model and stepping.
#[cfg(target_arch = "x86_64")]
fn model() -> String {
    use std::arch::x86_64::__cpuid;
    const BRAND: std::ops::RangeInclusive<u32> = 0x8000_0002..=0x8000_0004;
    let mut brand = String::new();
    if __cpuid(0x8000_0000).eax >= *BRAND.end() {
        for leaf in BRAND {
            let part = __cpuid(leaf);
            for word in [part.eax, part.ebx, part.ecx, part.edx] {
                brand.extend(word.to_le_bytes().map(char::from));
            }
        }
    }
    // What would not stand in a line of TOML is left out.
    brand.retain(|c| (c.is_ascii_graphic() || c == ' ') && c != '"' && c != '\\');
    format!("{} ({:08x})", brand.trim(), __cpuid(1).eax)
}

/// Says on stderr what is ignored. This crate has no log, and what it does may not depend on whether somebody reads.
pub(crate) fn complain(complaint: &str) {
    let clean: String =
        complaint.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("superhet-kernels: {clean}\n"));
}

/// The variant that the user's profile wants for an op, if it is one of these.
pub(crate) fn wanted(op: &str) -> Option<&'static str> {
    static PROFILE: LazyLock<Choices> = LazyLock::new(|| {
        let (choices, complaints) = load(path(), std::env::var_os("SUPERHET_KERNELS").is_some());
        complaints.iter().for_each(|complaint| complain(complaint));
        choices
    });
    PROFILE.get(op).map(String::as_str)
}

/// How many choices that cannot be followed are named.
const MOST_SHOWN: usize = 8;

/// The choices of a profile that can be followed, and what is wrong with it. A file that is not there is missed only
/// where it was `asked_for`.
fn load(path: Option<PathBuf>, asked_for: bool) -> (Choices, Vec<String>) {
    let Some(path) = path else { return Default::default() };
    let name = path.display();
    let text = match read_file(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !asked_for => {
            return Default::default();
        }
        Err(error) => return (Choices::new(), vec![format!("the profile {name} is ignored: {error}")]),
    };
    let mut choices = match read(&text) {
        Ok(choices) => choices,
        Err(why) => return (Choices::new(), vec![format!("the profile {name} is ignored: {why}")]),
    };
    let mut wrong = Vec::new();
    choices.retain(|op, variant| {
        let known = crate::OPS.iter().find(|known| known.name() == op);
        let can_run = known.is_some_and(|known| known.runnable().any(|runnable| runnable.0 == variant));
        if !can_run {
            wrong.push(format!("{op} = {variant:?}"));
        }
        can_run
    });
    let more = if wrong.len() > MOST_SHOWN {
        format!(" and {} more", wrong.len() - MOST_SHOWN)
    } else {
        String::new()
    };
    let shown = wrong.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let complaint = || format!("the profile {name} asks for what is not here: {shown}{more}");
    let complaints = if wrong.is_empty() { vec![] } else { vec![complaint()] };
    (choices, complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(pairs: &[(&str, &str)]) -> Choices {
        pairs.iter().map(|&(op, variant)| (op.to_owned(), variant.to_owned())).collect()
    }

    /// What comes of a file with this text.
    fn loaded(name: &str, text: &[u8]) -> (Choices, Vec<String>) {
        let path = std::env::temp_dir().join(format!("superhet-profile-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let loaded = load(Some(path.clone()), false);
        std::fs::remove_file(path).unwrap();
        loaded
    }

    fn complaint(name: &str, text: &[u8]) -> String {
        let (choices, complaints) = loaded(name, text);
        assert!(choices.is_empty() && complaints.len() == 1, "{choices:?} {complaints:?}");
        complaints.into_iter().next().unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let mine = choices(&[("saxpy", "scalar"), ("add_f32", "scalar")]);
        assert_eq!(loaded("written", text(&mine).as_bytes()), (mine, vec![]));
    }

    #[test]
    fn a_foreign_profile_is_ignored_with_the_reason() {
        let mine = text(&choices(&[("saxpy", "scalar")]));
        let other_cpu = mine.replace(cpu(), "Abacus 3000");
        assert!(complaint("cpu", other_cpu.as_bytes()).contains("cpu \"Abacus 3000\""));
        let other_version = mine.replace(&format!("\"{VERSION}\""), "\"0.0.0\"");
        assert!(complaint("version", other_version.as_bytes()).contains("version \"0.0.0\""));
        assert!(complaint("nothing", b"").contains("does not say its cpu"));
    }

    #[test]
    fn an_unreadable_profile_is_ignored_with_the_reason() {
        let mine = text(&choices(&[]));
        assert!(complaint("word", format!("{mine}saxpy").as_bytes()).contains("is not `name = \"value\"`"));
        assert!(complaint("number", format!("{mine}saxpy = 2").as_bytes()).contains("is not `name"));
        assert!(complaint("section", format!("{mine}[other]\na = \"b\"").as_bytes()).contains("no section"));
        assert!(complaint("bytes", &[0xff, 0xfe, 0]).contains("is ignored"));
        let folder = std::env::temp_dir();
        assert_eq!(load(Some(folder), false).1.len(), 1);
    }

    #[test]
    fn a_choice_that_cannot_be_followed_is_left_out_and_the_others_are_kept() {
        let text = text(&choices(&[("saxpy", "scalar"), ("add_f32", "abacus"), ("no_such_op", "scalar")]));
        let (kept, complaints) = loaded("wrong", text.as_bytes());
        assert_eq!(kept, choices(&[("saxpy", "scalar")]));
        assert!(
            complaints.len() == 1 && complaints[0].contains("add_f32 = \"abacus\", no_such_op"),
            "{complaints:?}"
        );
    }

    #[test]
    fn what_is_no_regular_file_or_too_long_is_ignored_with_the_reason() {
        let mut long = text(&choices(&[("saxpy", "scalar")]));
        long.push_str(&"#".repeat(64 << 10));
        assert!(complaint("long", long.as_bytes()).contains("longer than 64 KiB"));
        // A device that has no end.
        #[cfg(unix)]
        assert!(load(Some("/dev/zero".into()), true).1[0].contains("no regular file"));
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_the_place_of_a_profile_is_not_waited_for() {
        let path = std::env::temp_dir().join(format!("superhet-profile-pipe-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let load = std::thread::spawn({
            let path = path.clone();
            move || load(Some(path), true)
        });
        let start = std::time::Instant::now();
        while !load.is_finished() {
            assert!(start.elapsed() < std::time::Duration::from_secs(30), "the pipe is waited for");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(load.join().unwrap().1[0].contains("no regular file"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_complaint_names_some_of_many_choices() {
        let many: Choices = (0..1000).map(|n| (format!("op{n}"), "x".to_owned())).collect();
        let (_, complaints) = loaded("many", text(&many).as_bytes());
        assert!(complaints[0].ends_with("and 992 more") && complaints[0].len() < 400, "{complaints:?}");
    }

    #[test]
    fn a_profile_that_is_not_there_is_missed_only_where_it_was_asked_for() {
        let nowhere = || Some(std::env::temp_dir().join("superhet-no-such-profile"));
        assert_eq!(load(nowhere(), false), Default::default());
        assert_eq!(load(nowhere(), true).1.len(), 1);
        assert_eq!(load(None, true), Default::default());
    }
}
