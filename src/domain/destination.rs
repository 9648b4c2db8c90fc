//! Where backups go.

/// How a destination is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationKind {
    /// A disk of this Mac.
    Local,
    /// A share on a server.
    Network,
}

/// A destination as far as it is known. Its ID is the key: names may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// The ID that `tmutil` gives it, upper case. Not a volume UUID.
    pub id: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// How it is reached.
    pub kind: Option<DestinationKind>,
    /// Where its volume is mounted, while it is.
    pub mount_point: Option<String>,
    /// The share's URL without user and password.
    pub url: Option<String>,
    /// The BSD name of its volume, such as `disk4s2`.
    pub bsd_name: Option<String>,
    /// The quota in bytes, if one is set.
    pub quota_bytes: Option<u64>,
    /// Whether the last backup went there.
    pub last_used: bool,
}

impl Destination {
    /// Takes from `other` what is not known here.
    pub fn fill_from(&mut self, other: &Self) {
        fill(&mut self.id, other.id.as_ref());
        fill(&mut self.name, other.name.as_ref());
        fill(&mut self.kind, other.kind.as_ref());
        fill(&mut self.mount_point, other.mount_point.as_ref());
        fill(&mut self.url, other.url.as_ref());
        fill(&mut self.bsd_name, other.bsd_name.as_ref());
        fill(&mut self.quota_bytes, other.quota_bytes.as_ref());
    }
}

/// Puts `value` where nothing is known yet.
pub(crate) fn fill<T: Clone>(place: &mut Option<T>, value: Option<&T>) {
    if place.is_none() {
        *place = value.cloned();
    }
}
