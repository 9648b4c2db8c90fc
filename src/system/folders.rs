//! Where this program keeps things: the XDG folders on every system; under sudo those of whoever called it, to whom the files
//! belong too.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{BaseStrategy, Xdg};

/// The program's own folder in each of them.
const OWN: &str = "tmgauge";

/// The user behind sudo.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Caller {
    uid: u32,
    gid: Option<u32>,
    home: PathBuf,
}

/// The folders, and whom what is created there belongs to.
#[derive(Clone, Debug)]
pub struct Folders {
    state: PathBuf,
    owner: Option<(u32, Option<u32>)>,
}

impl Folders {
    /// Finds the folders of the user, or of the user behind sudo.
    pub fn find() -> io::Result<Self> {
        if let Some(caller) = caller() {
            // The environment is root's: only the usual places count.
            let state = caller.home.join(".local/state").join(OWN);
            return Ok(Self { state, owner: Some((caller.uid, caller.gid)) });
        }
        let xdg = Xdg::new().map_err(|_| io::Error::new(io::ErrorKind::NotFound, "no home folder is set"))?;
        let state = xdg.state_dir().unwrap_or_else(|| xdg.data_dir());
        Ok(Self { state: state.join(OWN), owner: None })
    }

    /// Where journals and records lie until a store takes them.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Makes a folder with all that lead to it.
    pub fn make(&self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|part| !part.exists()).collect();
        fs::create_dir_all(folder)?;
        missing.into_iter().try_for_each(|part| self.give(part))
    }

    /// Gives a file to the user behind sudo.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        match self.owner {
            Some((uid, gid)) => chown(path, Some(uid), gid),
            None => Ok(()),
        }
    }
}

fn caller() -> Option<Caller> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let number = |name: &str| env::var(name).ok()?.parse::<u32>().ok();
    let uid = number("SUDO_UID").filter(|&uid| uid != 0)?;
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let home = home_in_passwd(&passwd, uid).or_else(|| home_on_a_mac(uid, &env::var("SUDO_USER").ok()?))?;
    Some(Caller { uid, gid: number("SUDO_GID"), home })
}

fn home_in_passwd(passwd: &str, uid: u32) -> Option<PathBuf> {
    let line = passwd.lines().find(|line| line.split(':').nth(2).and_then(|field| field.parse().ok()) == Some(uid))?;
    line.split(':').nth(5).filter(|home| home.starts_with('/')).map(PathBuf::from)
}

/// macOS keeps its users elsewhere; a folder of that name that belongs to the user is the home.
fn home_on_a_mac(uid: u32, user: &str) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let home = Path::new("/Users").join(user);
    let plain = !user.is_empty() && !user.contains('/') && user != "..";
    (plain && fs::metadata(&home).is_ok_and(|found| found.uid() == uid)).then_some(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_is_the_sixth_field() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nann:x:501:20:Ann:/home/ann:/bin/zsh\nbad:x:502:20:::\n";
        assert_eq!(home_in_passwd(passwd, 501), Some(PathBuf::from("/home/ann")));
        assert_eq!(home_in_passwd(passwd, 502), None);
        assert_eq!(home_in_passwd(passwd, 503), None);
    }
}
