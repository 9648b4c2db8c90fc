//! Interfaces that the user tells, where no log does.

use crate::domain::backup::{Backup, Source};
use crate::domain::destination::Destination;
use crate::domain::link::LinkKind;
use crate::links;

/// Gives backups the interface that was said of their destination, by its name, ID or mount point.
pub(super) fn apply(said: &[(String, LinkKind)], backups: &mut [Backup]) {
    for backup in backups {
        let told = said.iter().rev().find(|(name, _)| is_meant(name, &backup.destination));
        if let Some((_, kind)) = told {
            backup.links = vec![links::said_by_user(*kind)];
            backup.sources.insert("interfaces".to_owned(), Source::User);
        }
    }
}

fn is_meant(name: &str, destination: &Destination) -> bool {
    let is = |value: &Option<String>| value.as_deref() == Some(name);
    let by_id = destination.id.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(name));
    by_id || is(&destination.name) || is(&destination.mount_point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::examples::unknown;

    #[test]
    fn what_is_said_of_a_destination_holds_for_its_backups() {
        let to = |name: &str| Backup {
            destination: Destination { name: Some(name.to_owned()), ..Destination::default() },
            ..unknown()
        };
        let mut backups = [to("Attic"), to("Cellar")];
        apply(&[("Attic".to_owned(), LinkKind::Usb2)], &mut backups);
        assert_eq!(backups[0].link().map(|link| link.kind), Some(LinkKind::Usb2));
        assert_eq!(backups[0].sources.get("interfaces"), Some(&Source::User));
        assert!(backups[1].links.is_empty());
    }
}
