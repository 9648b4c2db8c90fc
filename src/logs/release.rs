//! Releases of macOS and ranges of them, as the tables write them: `10.12-10.15, 11-13, 26`.

/// A release as far as wordings change with it: 10.15, or 26. Later parts of a version number are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(u16, u16);

impl Release {
    /// Reads a version such as `10.15.7` or `26.3.1`.
    pub(super) fn parse(version: &str) -> Option<Self> {
        let mut parts = version.trim().split('.').map(|part| part.parse::<u16>().ok());
        let major = parts.next()??;
        let minor = parts.next().unwrap_or(Some(0))?;
        // Up to 10.15 the second number named the release, since 11 the first does.
        Some(if major == 10 { Self(major, minor) } else { Self(major, 0) })
    }
}

/// A set of releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Releases(Vec<(Release, Release)>);

impl Releases {
    /// Reads a list of releases and ranges.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let range = (Release::parse(first)?, Release::parse(last)?);
            (range.0 <= range.1).then_some(range)
        };
        let ranges = text.split(',').map(range).collect::<Option<Vec<_>>>();
        ranges.map(Self).ok_or_else(|| format!("`{text}` is no list of macOS releases"))
    }

    /// Whether `release` is one of them.
    pub(super) fn contain(&self, release: Release) -> bool {
        self.0.iter().any(|&(first, last)| first <= release && release <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_its_ends_and_their_updates() {
        let releases = Releases::parse("10.12-10.14, 14-26").unwrap();
        for known in ["10.12", "10.13.6", "10.14.6", "14", "15.7.9", "26.3.1"] {
            assert!(releases.contain(Release::parse(known).unwrap()), "{known}");
        }
        for other in ["10.11.6", "10.15", "11.2", "13.7", "27"] {
            assert!(!releases.contain(Release::parse(other).unwrap()), "{other}");
        }
    }

    #[test]
    fn what_is_no_release_is_refused() {
        for text in ["", "Sonoma", "14-", "26-14", "14..15", "10.x"] {
            assert!(Releases::parse(text).is_err(), "{text}");
        }
    }
}
