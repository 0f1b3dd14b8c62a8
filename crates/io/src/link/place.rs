//! Where a link is: `tcp://HOST:PORT`, `tls://HOST:PORT`, `shm://NAME`.

use std::fmt;
use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::frame::MOST_ITEMS;
use crate::connecting::{address, host_and_port};

/// Where a sink is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At a port of a host.
    Net { host: String, port: u16 },
    /// On this machine, through memory that both share, by a name or the path of a Unix socket.
    Memory(String),
}

/// The longest name of a link on this machine, and the longest path that a Unix socket can have, in bytes.
const LONGEST_NAME: usize = 64;
const LONGEST_PATH: usize = 107;
/// What an address of a link on this machine looks like.
pub(crate) const EXPECTED_MEMORY: &str =
    "shm://NAME, of at most 64 letters, digits, -, _ and ., or shm:///PATH of a socket";

impl Place {
    /// Reads an address; it is `tls://` where it is encrypted. An error is what was expected.
    pub fn parse(text: &str, tls: Option<&str>) -> Result<Self, String> {
        const NO_PORT: u16 = 0;
        if let (Some(name), None) = (text.strip_prefix("shm://"), tls) {
            return is_name(name)
                .then(|| Place::Memory(name.to_owned()))
                .ok_or_else(|| EXPECTED_MEMORY.to_owned());
        }
        let scheme = if tls.is_some() { "tls" } else { "tcp" };
        let rest = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://"));
        let rest = rest.map(|rest| rest.strip_suffix('/').unwrap_or(rest));
        // Without a port it would be another one for each of two.
        let found =
            rest.filter(|rest| rest.contains(':')).and_then(|rest| host_and_port(rest, "127.0.0.1", NO_PORT));
        let place = found.map(|(host, port)| Place::Net { host, port });
        place.ok_or_else(|| match tls {
            Some(what) => format!("tls://HOST:PORT, as there is {what}"),
            None => format!("tcp://HOST:PORT, tls://HOST:PORT with certificates, or {EXPECTED_MEMORY}"),
        })
    }
}

impl Place {
    /// Bytes of items in a frame: enough to cost little each. Over a network they stay in the caches; through memory, where a byte costs less,
    /// the threads at both ends would else wake each other most of the time.
    pub fn at_once(&self) -> usize {
        match self {
            Place::Net { .. } => 1 << 18,
            Place::Memory(_) => MOST_ITEMS,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Net { host, port } => f.write_str(&address(host, *port)),
            Place::Memory(name) => write!(f, "shm://{name}"),
        }
    }
}

/// Whether a link on this machine can have this name.
pub(crate) fn is_name(name: &str) -> bool {
    if name.starts_with('/') {
        return name.len() <= LONGEST_PATH && !name.ends_with('/') && !name.contains('\0');
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=LONGEST_NAME).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_part)
}

/// The Unix socket of a link on this machine. Those with a name lie in a folder that is this user's alone, which is made where it is not
/// there.
pub(super) fn socket_of(name: &str) -> io::Result<PathBuf> {
    if name.starts_with('/') {
        return Ok(name.into());
    }
    let user = rustix::process::geteuid().as_raw();
    let folder = PathBuf::from(format!("/dev/shm/superhet-{user}"));
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    own(&folder, user)?;
    Ok(folder.join(name))
}

/// An error where the folder is not this user's alone: whoever else has made it could be there in the place of any link.
fn own(folder: &Path, user: u32) -> io::Result<()> {
    let meta = std::fs::symlink_metadata(folder)?;
    match meta.is_dir() && meta.uid() == user && meta.mode() & 0o077 == 0 {
        true => Ok(()),
        false => Err(io::Error::new(
            ErrorKind::PermissionDenied,
            format!("{} is not a folder of this user alone", folder.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        let net = |host: &str, port| Place::Net { host: host.to_owned(), port };
        let memory = |name: &str| Place::Memory(name.to_owned());
        for (text, place, written) in [
            ("tcp://radio:5", net("radio", 5), "radio:5"),
            ("tcp://[::1]:5/", net("::1", 5), "[::1]:5"),
            ("shm://radio-1", memory("radio-1"), "shm://radio-1"),
            ("shm:///run/x", memory("/run/x"), "shm:///run/x"),
        ] {
            assert_eq!(Place::parse(text, None), Ok(place.clone()), "{text}");
            assert_eq!(place.to_string(), written);
        }
        assert_eq!(Place::parse("tls://radio:5", Some("a certificate")), Ok(net("radio", 5)));
        for text in
            ["tcp://radio", "radio:5", "tls://radio:5", "shm://", "shm://a/b", "shm://.a", "shm://a b"]
        {
            assert!(Place::parse(text, None).unwrap_err().contains("shm://NAME"), "{text}");
        }
        assert!(Place::parse(&format!("shm:///{}", "x".repeat(107)), None).is_err());
        for text in ["tcp://radio:5", "shm://a"] {
            let expected = Place::parse(text, Some("a certificate")).unwrap_err();
            assert_eq!(expected, "tls://HOST:PORT, as there is a certificate", "{text}");
        }
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_believed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("superhet-place-{}", std::process::id()));
        let user = rustix::process::geteuid().as_raw();
        DirBuilder::new().mode(0o700).create(&folder).unwrap();
        own(&folder, user).unwrap();
        assert_eq!(own(&folder, user + 1).unwrap_err().kind(), ErrorKind::PermissionDenied);
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(own(&folder, user).unwrap_err().to_string().contains("not a folder of this user alone"));
        let link = folder.join("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert!(own(&link, user).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
