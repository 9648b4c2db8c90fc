//! Which destination a user means by an ID, a mount point or a name.

use crate::domain::destination::Destination;

/// Why no single destination is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// There are none to choose from.
    #[error("no destination is set up on this Mac")]
    NoneConfigured,
    /// None fits.
    #[error("no destination {wanted:?}; there is {}", available.join("; "))]
    NotFound {
        /// What was asked for.
        wanted: String,
        /// All there are, described.
        available: Vec<String>,
    },
    /// Several fit.
    #[error("{wanted:?} may mean {}", matches.join(" or "))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// Those that fit, described.
        matches: Vec<String>,
    },
}

/// Finds the destination that `wanted` names: by its whole ID, its mount point, its name, or by the beginning of its ID (at
/// least 4 hexadecimal digits), tried in this order.
pub fn select<'a>(destinations: &'a [Destination], wanted: &str) -> Result<&'a Destination, SelectError> {
    if destinations.is_empty() {
        return Err(SelectError::NoneConfigured);
    }
    let wanted = wanted.trim();
    let mount_point = if wanted.len() > 1 { wanted.trim_end_matches('/') } else { wanted };
    let prefix = id_prefix(wanted);
    let is_id = |d: &Destination| d.id.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(wanted));
    let is_mount_point = |d: &Destination| d.mount_point.as_deref() == Some(mount_point);
    let is_name = |d: &Destination| d.name.as_deref() == Some(wanted);
    let begins_id = |d: &Destination| match (&prefix, &d.id) {
        (Some(prefix), Some(id)) => digits(id).starts_with(prefix),
        _ => false,
    };
    let rules: [&dyn Fn(&Destination) -> bool; 4] = [&is_id, &is_mount_point, &is_name, &begins_id];
    for fits in rules {
        let matches: Vec<&Destination> = destinations.iter().filter(|d| fits(d)).collect();
        match matches[..] {
            [] => {}
            [one] => return Ok(one),
            _ => {
                let matches = matches.into_iter().map(describe).collect();
                return Err(SelectError::Ambiguous { wanted: wanted.to_owned(), matches });
            }
        }
    }
    let available = destinations.iter().map(describe).collect();
    Err(SelectError::NotFound { wanted: wanted.to_owned(), available })
}

/// The digits of what may be the beginning of an ID.
fn id_prefix(wanted: &str) -> Option<String> {
    let may_be = wanted.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    Some(digits(wanted)).filter(|digits| may_be && digits.len() >= 4)
}

fn digits(id: &str) -> String {
    id.chars().filter(|&c| c != '-').map(|c| c.to_ascii_uppercase()).collect()
}

/// Name, ID and place of a destination on one line.
pub fn describe(destination: &Destination) -> String {
    let name = destination.name.as_deref().unwrap_or("without a name");
    let id = destination.id.as_deref().unwrap_or("without an ID");
    let place = match (&destination.mount_point, &destination.url) {
        (Some(place), _) | (None, Some(place)) => place,
        (None, None) => "not mounted",
    };
    format!("{name} ({id}, {place})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(id: &str, name: &str, mount_point: Option<&str>) -> Destination {
        Destination {
            id: Some(id.to_owned()),
            name: Some(name.to_owned()),
            mount_point: mount_point.map(str::to_owned),
            ..Destination::default()
        }
    }

    fn three() -> Vec<Destination> {
        vec![
            destination("1B2C0000-0000-4000-8000-000000000001", "Attic", Some("/Volumes/Attic")),
            destination("1B2D0000-0000-4000-8000-000000000002", "Backups", None),
            destination("ABCD0000-0000-4000-8000-000000000003", "Backups", None),
        ]
    }

    fn chosen(wanted: &str) -> Result<String, String> {
        select(&three(), wanted).map(|d| d.id.clone().unwrap()[..4].to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn id_mount_point_name_and_the_beginning_of_an_id_will_do() {
        assert_eq!(chosen("1b2c0000-0000-4000-8000-000000000001").as_deref(), Ok("1B2C"));
        assert_eq!(chosen("/Volumes/Attic/").as_deref(), Ok("1B2C"));
        assert_eq!(chosen("Attic").as_deref(), Ok("1B2C"));
        assert_eq!(chosen("abcd").as_deref(), Ok("ABCD"));
        assert_eq!(chosen("1b2d0000-00").as_deref(), Ok("1B2D"));
    }

    #[test]
    fn a_name_that_several_have_lists_them() {
        assert_eq!(
            chosen("Backups").unwrap_err(),
            "\"Backups\" may mean Backups (1B2D0000-0000-4000-8000-000000000002, not mounted) \
             or Backups (ABCD0000-0000-4000-8000-000000000003, not mounted)"
        );
    }

    #[test]
    fn what_does_not_exist_lists_what_does() {
        for none in ["1b2", "Cellar", "", "/"] {
            let error = chosen(none).unwrap_err();
            assert!(
                error.contains("there is Attic (1B2C0000-0000-4000-8000-000000000001, /Volumes/Attic); Backups ("),
                "{error}"
            );
        }
        assert_eq!(select(&[], "Attic"), Err(SelectError::NoneConfigured));
    }
}
