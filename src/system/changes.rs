//! Waits for a file to change.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// A file is looked at this often even if nothing is said of it: the system's word is not to be had everywhere, such as on
/// shares.
const POLL: Duration = Duration::from_secs(2);
/// Changes that follow one another closely are one.
const TOGETHER: Duration = Duration::from_millis(50);

/// The changes of one file, through its being replaced.
pub struct Changes {
    /// Dropping it ends the watching.
    _watcher: Option<RecommendedWatcher>,
    news: Receiver<()>,
    /// Keeps the queue open where nothing is watched.
    _sender: Sender<()>,
}

impl Changes {
    /// Watches the folder of a file, since the file itself may be replaced. Where that is not possible only time tells.
    pub fn of(path: &Path) -> Self {
        let (sender, news) = mpsc::channel();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let tell = sender.clone();
        let watcher = notify::recommended_watcher(move |_| {
            // Nobody waits any more if it can't be told.
            let _ = tell.send(());
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        Self { _watcher: watcher.ok(), news, _sender: sender }
    }

    /// Waits until something in the folder may have changed, or a moment has passed.
    pub fn wait(&self) {
        if self.news.recv_timeout(POLL).is_ok() {
            while self.news.recv_timeout(TOGETHER).is_ok() {}
        }
    }
}
