//! Which files the blocks of this process read and write, so that none destroys what another still needs.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// A file that a block reads or writes, from its making until it is dropped.
#[derive(Debug)]
pub(super) struct Claim(Option<Used>);

#[derive(Clone, Debug, PartialEq)]
struct Used {
    how: Use,
    /// The path without links and dots.
    path: PathBuf,
    /// Device and inode, which all hard links of a file share; `None` where there is no file yet.
    inode: Option<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    Read,
    Written,
}

static USED: Mutex<Vec<Used>> = Mutex::new(Vec::new());

impl Claim {
    /// That `path` is read. Others may read it too; pipes and devices are nobody's.
    ///
    /// # Errors
    /// [`Error::InUse`] where another block writes it.
    pub fn reading(path: &Path) -> Result<Self, Error> {
        Claim::new(path, Use::Read)
    }

    /// That `path`, which there may not be yet, is written.
    ///
    /// # Errors
    /// [`Error::InUse`] where another block reads or writes it.
    pub fn writing(path: &Path) -> Result<Self, Error> {
        Claim::new(path, Use::Written)
    }

    fn new(path: &Path, how: Use) -> Result<Self, Error> {
        let Some(wanted) = used(path, how) else { return Ok(Claim(None)) };
        let mut all = USED.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            |one: &&Used| one.path == wanted.path || (one.inode.is_some() && one.inode == wanted.inode);
        let in_the_way = |one: &&Used| how == Use::Written || one.how == Use::Written;
        if let Some(other) = all.iter().filter(same).find(in_the_way) {
            let how = match (how, other.how) {
                (Use::Written, Use::Written) => "written by two blocks",
                _ => "read and written at once",
            };
            return Err(Error::InUse { path: path.to_owned(), how });
        }
        all.push(wanted.clone());
        Ok(Claim(Some(wanted)))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut all = USED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = all.iter().position(|one| Some(one) == self.0.as_ref()) {
            all.swap_remove(index);
        }
    }
}

/// The file at `path`, or the one that will be there; `None` for pipes, devices and where there can be no file.
fn used(path: &Path, how: Use) -> Option<Used> {
    match std::fs::metadata(path) {
        Ok(meta) if !meta.is_file() => None,
        Ok(meta) => {
            Some(Used { how, path: path.canonicalize().ok()?, inode: Some((meta.dev(), meta.ino())) })
        }
        Err(_) => {
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            Some(Used { how, path: folder.canonicalize().ok()?.join(path.file_name()?), inode: None })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_many_readers_or_one_writer_whatever_its_name() {
        let folder = std::env::temp_dir().join(format!("superhet-in-use-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, link) = (folder.join("a"), folder.join("b"));
        std::fs::write(&path, [0]).unwrap();
        std::fs::hard_link(&path, &link).unwrap();
        let names = [path.clone(), folder.join(".").join("a"), link];
        let readers = names.each_ref().map(|name| Claim::reading(name).unwrap());
        for name in &names {
            let error = Claim::writing(name).unwrap_err().to_string();
            assert!(error.contains("read and written at once"), "{error}");
        }
        drop(readers);
        let writer = Claim::writing(&path).unwrap();
        assert!(names.iter().all(|name| Claim::reading(name).is_err()));
        assert!(Claim::writing(&path).unwrap_err().to_string().contains("written by two blocks"));
        drop(writer);
        let new = Claim::writing(&folder.join("new")).unwrap();
        assert!(Claim::writing(&folder.join(".").join("new")).is_err());
        drop(new);
        assert!(
            Claim::writing(Path::new("/dev/null")).is_ok() && Claim::reading(Path::new("/dev/null")).is_ok()
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
