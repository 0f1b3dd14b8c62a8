//! Where the libraries of the CUDA toolkit are looked for, and how they are loaded.
//!
//! The driver itself, `libcuda.so.1`, comes with the system. NVRTC and cuFFT come with a toolkit or a Python package, in
//! folders that the loader does not search. NVRTC looks for its own second library by name alone. So both are loaded by
//! their full path, the second first, from the first of these places that has them:
//!
//! 1. what `SUPERHET_NVRTC` or `SUPERHET_CUFFT` names, a file or a folder; if it is set, nothing else counts,
//! 2. what the process has loaded already,
//! 3. `CUDA_HOME` or `CUDA_PATH`,
//! 4. the virtual environment's `nvidia/cu13/lib`, and the folders of the packages for CUDA 12,
//! 5. `/usr/local/cuda`,
//! 6. the system's folders.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use libloading::Library;

use super::DRIVER;
use crate::driver::DriverError;

/// A library of the toolkit.
pub(super) struct Wanted {
    /// The variable that names its place.
    pub setting: &'static str,
    /// Its file names, in the order of preference.
    pub files: &'static [&'static str],
    /// How the names of the files begin that are loaded before it.
    pub before: Option<&'static str>,
    /// What to install or to set.
    pub hint: &'static str,
}

/// The variables that say where to look.
#[derive(Debug, Default)]
struct Places {
    setting: Option<PathBuf>,
    homes: Vec<PathBuf>,
    virtual_env: Option<PathBuf>,
    /// The root of the file system.
    root: PathBuf,
}

/// Where the library is.
#[derive(Debug, PartialEq, Eq)]
enum Spot {
    /// In the process, under this name.
    Loaded(&'static str),
    /// In this file, to be loaded after those.
    File { path: PathBuf, before: Vec<PathBuf> },
}

impl Wanted {
    /// Loads the library. It stays loaded to the end of the process.
    pub(super) fn load(&self) -> Result<Library, DriverError> {
        let variable = |name: &str| {
            std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from)
        };
        let places = Places {
            setting: variable(self.setting),
            homes: ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).collect(),
            virtual_env: variable("VIRTUAL_ENV").or_else(|| variable("CONDA_PREFIX")),
            root: PathBuf::from("/"),
        };
        match self.find(&places, |name| loaded(name).is_some())? {
            Spot::Loaded(name) => {
                loaded(name).ok_or_else(|| self.missing("it was unloaded meanwhile".to_owned()))
            }
            Spot::File { path, before } => {
                for first in before {
                    std::mem::forget(open(&first).map_err(|reason| self.missing(reason))?);
                }
                open(&path).map_err(|reason| self.missing(reason))
            }
        }
    }

    fn find(&self, places: &Places, loaded: impl Fn(&str) -> bool) -> Result<Spot, DriverError> {
        if let Some(setting) = &places.setting {
            return self.at(setting).ok_or_else(|| {
                let files = self.files.join(", ");
                self.missing(format!(
                    "{} names {}, which is no file and has none of {files}",
                    self.setting,
                    setting.display()
                ))
            });
        }
        if let Some(name) = self.files.iter().find(|name| loaded(name)) {
            return Ok(Spot::Loaded(name));
        }
        let folders = places.folders();
        folders.iter().find_map(|folder| self.at(folder)).ok_or_else(|| {
            let there: Vec<_> = folders
                .iter()
                .filter(|folder| folder.is_dir())
                .map(|folder| folder.display().to_string())
                .collect();
            self.missing(format!("it is in none of {}", there.join(", ")))
        })
    }

    /// The library in a folder, or in this very file.
    fn at(&self, place: &Path) -> Option<Spot> {
        let path = if place.is_file() {
            place.to_owned()
        } else {
            self.files.iter().map(|name| place.join(name)).find(|path| path.is_file())?
        };
        let path = std::path::absolute(path).ok()?;
        let before = self.before.map_or_else(Vec::new, |prefix| files(path.parent(), prefix));
        Some(Spot::File { path, before })
    }

    fn missing(&self, reason: String) -> DriverError {
        DriverError::NoLibrary { driver: DRIVER, library: self.files[0].to_owned(), reason, hint: self.hint }
    }
}

impl Places {
    /// Folders 3 to 6 of the list above.
    fn folders(&self) -> Vec<PathBuf> {
        let toolkit =
            |home: &Path| ["lib64", "lib", "targets/x86_64-linux/lib"].map(|folder| home.join(folder));
        let mut folders: Vec<_> = self.homes.iter().flat_map(|home| toolkit(home)).collect();
        if let Some(environment) = &self.virtual_env {
            for python in files(Some(&environment.join("lib")), "python") {
                let nvidia = python.join("site-packages/nvidia");
                folders.extend(["cu13/lib", "cuda_nvrtc/lib", "cufft/lib"].map(|folder| nvidia.join(folder)));
            }
        }
        folders.extend(toolkit(&self.root.join("usr/local/cuda")));
        let system = ["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib"];
        folders.extend(system.map(|folder| self.root.join(folder)));
        folders
    }
}

/// What is in a folder under a name that begins so, sorted. Links to what is in the list already are left out.
fn files(folder: Option<&Path>, prefix: &str) -> Vec<PathBuf> {
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.dedup_by_key(|path| fs::canonicalize(&*path).unwrap_or_else(|_| path.clone()));
    paths
}

fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: The library is the vendor's, whose initialization needs nothing of us.
    unsafe { Library::new(path) }.map_err(words)
}

/// The loader's own words, which the error keeps behind its own.
pub(super) fn words(error: libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |reason| format!("{error}: {reason}"))
}

/// The library of this name if the process has loaded it.
fn loaded(name: &str) -> Option<Library> {
    #[cfg(target_os = "linux")]
    {
        use libloading::os::unix;
        /// `dlopen` loads nothing then. From `dlfcn.h`.
        const RTLD_NOLOAD: i32 = 4;
        // SAFETY: Nothing is loaded, so that nothing is initialized.
        unsafe { unix::Library::open(Some(name), unix::RTLD_NOW | RTLD_NOLOAD) }.ok().map(Library::from)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = name;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted {
        setting: "SUPERHET_NVRTC",
        files: &["libnvrtc.so.13", "libnvrtc.so.12"],
        before: Some("libnvrtc-builtins.so"),
        hint: "install it",
    };

    /// A folder of its own for one test, removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let path = std::env::temp_dir().join(format!("superhet-library-{}-{test}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        /// Puts an empty file there.
        fn put(&self, path: &str) -> PathBuf {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().expect("it has a folder")).unwrap();
            fs::write(&path, "").unwrap();
            path
        }

        fn places(&self) -> Places {
            Places {
                setting: None,
                homes: vec![self.0.join("home")],
                virtual_env: Some(self.0.join("env")),
                root: self.0.join("root"),
            }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn file(path: &Path) -> Spot {
        Spot::File { path: path.to_owned(), before: Vec::new() }
    }

    #[test]
    fn the_places_are_searched_in_the_order_of_the_list() {
        let folder = Folder::new("order");
        let not_loaded = |_: &str| false;
        let mut places = folder.places();
        for path in [
            "root/usr/lib/x86_64-linux-gnu/libnvrtc.so.12",
            "root/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so.13",
            "env/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "home/lib64/libnvrtc.so.12",
            "home/lib64/libnvrtc.so.13",
        ] {
            let path = folder.put(path);
            assert_eq!(WANTED.find(&places, not_loaded), Ok(file(&path)));
        }
        assert_eq!(WANTED.find(&places, |name| name == "libnvrtc.so.12"), Ok(Spot::Loaded("libnvrtc.so.12")));
        let chosen = folder.put("chosen/libnvrtc.so.12");
        places.setting = Some(folder.0.join("chosen"));
        assert_eq!(WANTED.find(&places, |_| true), Ok(file(&chosen)));
        let named = folder.put("chosen/any name");
        places.setting = Some(named.clone());
        assert_eq!(WANTED.find(&places, |_| true), Ok(file(&named)));
    }

    #[test]
    fn the_second_library_is_loaded_before_the_first_and_once() {
        let folder = Folder::new("second");
        let path = folder.put("home/lib/libnvrtc.so.13");
        let first = folder.put("home/lib/libnvrtc-builtins.so.13.0");
        folder.put("home/lib/libnvrtc-builtins.alt.so.13.0");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&first, folder.0.join("home/lib/libnvrtc-builtins.so.13.0.88")).unwrap();
        let found = WANTED.find(&folder.places(), |_| false);
        assert_eq!(found, Ok(Spot::File { path, before: vec![first] }));
    }

    #[test]
    fn a_setting_that_leads_nowhere_is_an_error_even_where_another_place_has_the_library() {
        let folder = Folder::new("nowhere");
        folder.put("home/lib64/libnvrtc.so.13");
        let places = Places { setting: Some(folder.0.join("empty")), ..folder.places() };
        let error = WANTED.find(&places, |_| true).unwrap_err().to_string();
        assert!(error.contains("SUPERHET_NVRTC names") && error.contains("libnvrtc.so.12"), "{error}");
    }

    #[test]
    fn where_no_place_has_the_library_the_error_names_those_that_exist() {
        let folder = Folder::new("none");
        folder.put("home/lib64/libcufft.so.12");
        let error = WANTED.find(&folder.places(), |_| false).unwrap_err().to_string();
        assert!(error.contains("home/lib64") && !error.contains("usr/local"), "{error}");
        assert!(error.ends_with("install it"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_library_is_an_error_with_the_loaders_words() {
        let folder = Folder::new("junk");
        let reason = open(&folder.put("libnvrtc.so.13")).unwrap_err();
        assert!(reason.contains("libnvrtc.so.13"), "{reason}");
    }

    #[test]
    fn a_library_counts_as_loaded_only_if_it_is() {
        assert!(loaded("libnvrtc.so.0").is_none());
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        assert!(loaded("libc.so.6").is_some());
    }
}
