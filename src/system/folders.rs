//! Where our own files lie: the XDG folders on both systems; under sudo those of whoever called it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, fchown, lchown};
use std::path::{Component, Path, PathBuf};

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;

use crate::error::{Exit, Failure};

/// The name of our folder in each of them.
const OWN: &str = "tmgauge";

/// Whom files are given to that root creates under sudo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    uid: u32,
    gid: Option<u32>,
}

/// Our folders. They exist only once something was put into them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// The store.
    pub data: PathBuf,
    /// Journals, and records that no store has taken yet.
    pub state: PathBuf,
    /// What the user sets.
    pub config: PathBuf,
    owner: Option<Owner>,
}

impl Folders {
    /// Finds them for this process.
    pub fn find() -> Result<Self, Failure> {
        let sudo = Sudo::of(&|name| std::env::var_os(name), rustix::process::geteuid().is_root());
        let Some(sudo) = sudo else {
            let xdg =
                Xdg::new().map_err(|_| Failure::new(Exit::Use, "cannot find your home folder").hint("set HOME"))?;
            let state = xdg.state_dir().unwrap_or_else(|| xdg.home_dir().join(".local/state"));
            return Ok(Self {
                data: xdg.data_dir().join(OWN),
                state: state.join(OWN),
                config: xdg.config_dir().join(OWN),
                owner: None,
            });
        };
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let owner_of = |path: &Path| fs::metadata(path).ok().map(|found| found.uid());
        let home = sudo.home(&passwd, &owner_of).ok_or_else(|| {
            Failure::new(Exit::Use, format!("cannot find the home folder of user {}, who called sudo", sudo.owner.uid))
                .hint("run it without sudo, or as root without SUDO_UID")
        })?;
        Ok(Self::below(&home, Some(sudo.owner)))
    }

    pub(super) fn below(home: &Path, owner: Option<Owner>) -> Self {
        Self {
            data: home.join(".local/share").join(OWN),
            state: home.join(".local/state").join(OWN),
            config: home.join(".config").join(OWN),
            owner,
        }
    }

    /// Makes a folder, and those above it that are missing, for us alone and with the right owner.
    pub fn create(&self, folder: &Path) -> io::Result<()> {
        if folder.is_dir() {
            return Ok(());
        }
        if let Some(above) = folder.parent() {
            self.create(above)?;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.owner.map_or(Ok(()), |owner| lchown(folder, Some(owner.uid), owner.gid)),
        }
    }

    /// Gives a file that we created to its owner.
    pub fn adopt(&self, file: &File) -> io::Result<()> {
        self.owner.map_or(Ok(()), |owner| fchown(file, Some(owner.uid), owner.gid))
    }
}

/// Who called sudo.
#[derive(Debug, PartialEq, Eq)]
struct Sudo {
    owner: Owner,
    name: Option<String>,
}

impl Sudo {
    fn of(variable: &dyn Fn(&str) -> Option<OsString>, is_root: bool) -> Option<Self> {
        let number = |name| variable(name)?.to_str()?.parse::<u32>().ok();
        let uid = number("SUDO_UID").filter(|&uid| is_root && uid != 0)?;
        let name = variable("SUDO_USER").and_then(|name| name.into_string().ok());
        Some(Self { owner: Owner { uid, gid: number("SUDO_GID") }, name })
    }

    /// The home by the table of users. macOS keeps its users elsewhere: there it is the usual place, if it is theirs.
    fn home(&self, passwd: &str, owner_of: &dyn Fn(&Path) -> Option<u32>) -> Option<PathBuf> {
        let listed = passwd.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            let uid: u32 = fields.get(2)?.parse().ok()?;
            (uid == self.owner.uid).then(|| fields.get(5).map(PathBuf::from))?
        });
        let usual = || {
            let name = self.name.as_deref().filter(|name| !name.is_empty() && !name.contains('/') && *name != "..")?;
            let home = Path::new("/Users").join(name);
            (owner_of(&home) == Some(self.owner.uid)).then_some(home)
        };
        listed.filter(|home| home.is_absolute()).or_else(usual)
    }
}

/// The mount point of `mounts` on which a path lies or would lie. A path that names one is told without touching it.
pub fn lies_on<'a>(path: &Path, mounts: &'a [PathBuf]) -> Option<&'a Path> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let on = |path: &Path| mounts.iter().map(PathBuf::as_path).find(|mount| path.starts_with(mount));
    on(&without_dots(&path)).or_else(|| on(&resolved(&path)))
}

/// The path with `..` taken at its word.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// The path with the links in its existing part followed.
fn resolved(path: &Path) -> PathBuf {
    let found =
        path.ancestors().find_map(|above| Some((fs::canonicalize(above).ok()?, path.strip_prefix(above).ok()?)));
    found.map_or_else(|| path.to_owned(), |(above, rest)| above.join(rest))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    fn sudo(is_root: bool, variables: &[(&str, &str)]) -> Option<Sudo> {
        let get = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        Sudo::of(&get, is_root)
    }

    const VARIABLES: &[(&str, &str)] = &[("SUDO_UID", "501"), ("SUDO_GID", "20"), ("SUDO_USER", "erika")];

    #[test]
    fn under_sudo_the_home_is_that_of_the_caller() {
        let found = sudo(true, VARIABLES).unwrap();
        assert_eq!(found.owner, Owner { uid: 501, gid: Some(20) });
        let passwd = "root:*:0:0:System:/var/root:/bin/sh\nbroken\nerika:x:501:20::/home/erika:/bin/sh\n";
        assert_eq!(found.home(passwd, &|_| None), Some(PathBuf::from("/home/erika")));
        assert_eq!(found.home("", &|_| Some(501)), Some(PathBuf::from("/Users/erika")));
        assert_eq!(found.home("", &|_| Some(502)), None);
        let folders = Folders::below(Path::new("/home/erika"), Some(found.owner));
        assert_eq!(folders.state, Path::new("/home/erika/.local/state/tmgauge"));
    }

    #[test]
    fn without_root_or_for_root_itself_sudo_changes_nothing() {
        assert_eq!(sudo(false, VARIABLES), None);
        assert_eq!(sudo(true, &[("SUDO_UID", "0")]), None);
        assert_eq!(sudo(true, &[("SUDO_UID", "x")]), None);
        let found = sudo(true, &[("SUDO_UID", "501"), ("SUDO_USER", "../root")]).unwrap();
        assert_eq!(found.home("", &|_| Some(501)), None);
    }

    #[test]
    fn what_root_creates_under_sudo_belongs_to_the_caller() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::below(home.path(), Some(Owner { uid: 501, gid: Some(20) }));
        folders.create(&folders.state).unwrap();
        let file = File::create(folders.state.join("a")).unwrap();
        folders.adopt(&file).unwrap();
        for path in [folders.state.join("a"), folders.state.clone(), home.path().join(".local")] {
            let found = fs::metadata(&path).unwrap();
            assert_eq!((found.uid(), found.gid()), (501, 20), "{}", path.display());
        }
    }

    #[test]
    fn a_path_on_a_mount_point_is_told_by_name_and_through_links() {
        let mounts = [PathBuf::from("/Volumes/Kastanie")];
        assert_eq!(lies_on(Path::new("/Volumes/Kastanie/a/b"), &mounts), Some(mounts[0].as_path()));
        assert_eq!(lies_on(Path::new("/Volumes/x/../Kastanie"), &mounts), Some(mounts[0].as_path()));
        assert_eq!(lies_on(Path::new("/Volumes/Kastanie 2/a"), &mounts), None);
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().canonicalize().unwrap().join("disk");
        fs::create_dir(&disk).unwrap();
        std::os::unix::fs::symlink(&disk, folder.path().join("link")).unwrap();
        let mounts = [disk];
        assert!(lies_on(&folder.path().join("link/new/deep"), &mounts).is_some());
        assert!(lies_on(&folder.path().join("elsewhere"), &mounts).is_none());
    }
}
