//! What the log says was copied, pass by pass and volume by volume.

use crate::domain::event::Data;
use crate::domain::units::{Amount, Bound};

/// Collects the results of passes. Those of volumes add up, except where each line of a pass holds the earlier volumes too.
#[derive(Clone, Debug, Default)]
pub(super) struct Passes {
    parts: Vec<Data>,
    /// The last part may still be replaced by a later line of the same pass.
    open: bool,
}

impl Passes {
    /// A pass begins.
    pub(super) fn begin(&mut self) {
        self.open = false;
    }

    /// Takes what one volume of a pass copied.
    pub(super) fn volume(&mut self, data: Data) {
        self.parts.push(data);
        self.open = false;
    }

    /// Takes what the pass has copied by now.
    pub(super) fn pass_so_far(&mut self, data: Data) {
        match self.parts.last_mut() {
            Some(last) if self.open && goes_on(last, &data) => *last = data,
            _ => self.parts.push(data),
        }
        self.open = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The bytes of all parts; `None` unless each of them tells them.
    pub(super) fn bytes(&self) -> Option<Amount> {
        self.sum_of(|data| data.physical)
    }

    /// Lengths of the files of all parts.
    pub(super) fn logical(&self) -> Option<Amount> {
        self.sum_of(|data| data.logical)
    }

    /// The items of all parts.
    pub(super) fn items(&self) -> Option<u64> {
        let items: Option<Vec<u64>> = self.parts.iter().map(|data| data.items).collect();
        items.filter(|items| !items.is_empty()).map(|items| items.into_iter().fold(0, u64::saturating_add))
    }

    fn sum_of(&self, part: impl Fn(&Data) -> Option<Amount>) -> Option<Amount> {
        let parts: Option<Vec<Amount>> = self.parts.iter().map(part).collect();
        parts?.into_iter().reduce(|sum, part| Amount {
            bytes: sum.bytes.saturating_add(part.bytes),
            bound: if sum.bound == Bound::Exact { part.bound } else { sum.bound },
            precision: Some(off(sum).saturating_add(off(part)).max(1)),
        })
    }
}

/// By how much an amount may be off.
fn off(amount: Amount) -> u64 {
    if amount.bound == Bound::Exact { 0 } else { amount.precision.unwrap_or(0) }
}

/// Whether `next` can hold what `last` holds: a total does not fall.
fn goes_on(last: &Data, next: &Data) -> bool {
    let bytes = |data: &Data| data.physical.map_or(0, |amount| amount.bytes);
    next.items >= last.items && bytes(next) >= bytes(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(items: u64, bytes: u64) -> Data {
        Data { physical: Some(Amount::exact(bytes)), logical: None, items: Some(items) }
    }

    fn totals(passes: &Passes) -> (Option<u64>, Option<u64>) {
        (passes.items(), passes.bytes().map(|amount| amount.bytes))
    }

    #[test]
    fn passes_add_up_and_volumes_of_a_pass_do_not() {
        let mut passes = Passes::default();
        for (first, second) in [(data(2257, 2_000_000), data(2263, 2_000_000)), (data(1635, 98), data(1641, 98))] {
            passes.begin();
            passes.pass_so_far(first);
            passes.pass_so_far(second);
        }
        assert_eq!(totals(&passes), (Some(3904), Some(2_000_098)));
    }

    #[test]
    fn a_total_that_falls_belongs_to_another_pass() {
        let mut passes = Passes::default();
        passes.pass_so_far(data(20, 900));
        passes.pass_so_far(data(4, 90));
        assert_eq!(totals(&passes), (Some(24), Some(990)));
    }

    #[test]
    fn volumes_that_count_for_themselves_add_up() {
        let mut passes = Passes::default();
        passes.volume(data(20, 900));
        passes.volume(data(30, 1000));
        assert_eq!(totals(&passes), (Some(50), Some(1900)));
        passes.volume(Data::default());
        assert_eq!(totals(&passes), (None, None));
    }
}
