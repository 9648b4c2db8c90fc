//! First backups that took several attempts.

use super::backup::{Attempts, Backup, Outcome};
use super::time::Moment;

/// Notes at each attempt of a first backup which one it was and what all of them came to. `backups` are in the order of time.
///
/// An attempt that did not succeed leaves its folder on the destination, and the next backup to there goes on with it.
pub fn note_attempts(backups: &mut [Backup]) {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for at in 0..backups.len() {
        if backups[at].outcome == Outcome::Deferred {
            continue;
        }
        let known = open.iter().position(|&chain| is_same(&backups[chains[chain][0]], &backups[at]));
        let chain = match known {
            Some(place) => {
                chains[open[place]].push(at);
                Some(place)
            }
            None if backups[at].first == Some(true) => {
                chains.push(vec![at]);
                open.push(chains.len() - 1);
                Some(open.len() - 1)
            }
            None => None,
        };
        if let Some(place) = chain.filter(|_| backups[at].outcome == Outcome::Completed) {
            open.remove(place);
        }
    }
    for chain in chains.iter().filter(|chain| chain.len() > 1) {
        let all = sum(&chain.iter().map(|&at| &backups[at]).collect::<Vec<_>>());
        for (number, &at) in (1..).zip(chain) {
            backups[at].first = Some(true);
            backups[at].attempts = Some(Attempts { attempt: Some(number), ..all });
        }
    }
}

/// Whether two backups went from the same Mac to the same place, as far as both are known.
fn is_same(a: &Backup, b: &Backup) -> bool {
    let (to, other) = (&a.destination, &b.destination);
    let places =
        [(&to.id, &other.id), (&to.url, &other.url), (&to.name, &other.name), (&to.mount_point, &other.mount_point)];
    let known = places.into_iter().find_map(|(a, b)| Some(a.as_ref()? == b.as_ref()?));
    a.host == b.host && known == Some(true)
}

fn sum(chain: &[&Backup]) -> Attempts {
    let amounts = || chain.iter().map(|backup| backup.copied.data);
    let at_most = amounts().try_fold(0_u64, |sum, data| {
        let data = data.filter(|data| data.bound.is_whole())?;
        sum.checked_add(data.bytes)?.checked_add(data.bytes - data.lowest())
    });
    let ends = |backup: &Backup| backup.ended.map(Moment::at_wall);
    let first = chain.first().and_then(|backup| backup.started).map(Moment::at_wall);
    let last = chain.last().and_then(|backup| ends(backup));
    Attempts {
        attempt: None,
        attempts: u64::try_from(chain.len()).ok(),
        copied_bytes_at_least: Some(amounts().flatten().fold(0, |sum, data| data.lowest().saturating_add(sum))),
        copied_bytes_at_most: at_most,
        wall: first.zip(last).and_then(|(first, last)| last.since(&first)),
        busy: chain.iter().map(|backup| backup.duration).sum(),
    }
}
