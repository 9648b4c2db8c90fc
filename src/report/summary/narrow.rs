//! The summary below 60 columns.

use super::{
    Detail, answer, copy_time, interface, mega_bits, mega_bytes, or_unknown, phase_times, rates_are_whole,
    share_of_duration, why,
};
use crate::domain::backup::Backup;
use crate::domain::phase::Stage;
use crate::domain::units::BitRate;
use crate::report::grid::{Align, Column, Grid};
use crate::report::human::{self, UNKNOWN};
use crate::report::style::Style;

/// The columns of the labels, a blank included.
const MARGIN: usize = 13;

/// The lines of the summary.
pub(super) fn lines(backup: &Backup, style: &Style) -> Vec<String> {
    super::join(vec![phases(backup, style), details(backup, style), answer::lines(backup, style)])
}

fn phases(backup: &Backup, style: &Style) -> Vec<String> {
    let mut grid = Grid::new(vec![
        Column::new("", "", Align::Left).shrinking(8),
        Column::new("", "", Align::Right),
        Column::new("", "", Align::Right),
    ]);
    for time in phase_times(backup) {
        let counted = time.phase.stage() != Stage::ThinningAfter;
        let share = or_unknown(share_of_duration(backup, time.time).map(human::whole_share));
        grid.row(vec![
            time.phase.name().into(),
            or_unknown(time.time.map(human::hms)).into(),
            if counted { share } else { String::new() }.into(),
        ]);
    }
    grid.lines(style)
}

fn details(backup: &Backup, style: &Style) -> Vec<String> {
    let rate = |rate: Option<BitRate>| {
        or_unknown(rate.map(|rate| format!("{}  {}", mega_bytes(rate, style), mega_bits(rate, style))))
    };
    let effective = backup.effective_rate().filter(|_| rates_are_whole(backup));
    let link = backup.link();
    let share =
        |of: Option<u64>| or_unknown(effective.zip(of).and_then(|(rate, of)| rate.share_of(of)).map(human::share));
    let copy_time = copy_time(backup).split(' ').next().unwrap_or(UNKNOWN).to_owned();
    let mut details: Vec<Detail> = why(backup).into_iter().collect();
    details.extend([
        Detail::one("interface", interface::short(backup)),
        Detail::one("data", data(backup, style)),
        Detail::one("duration", or_unknown(backup.duration.map(human::hms))),
        Detail::one("copy time", copy_time),
        Detail::one("effective", rate(effective)),
        Detail::one("copying", rate(backup.copy_rate())),
        Detail::one("of nominal", share(link.and_then(|link| link.negotiated_bps))),
        Detail::one("of practical", share(link.and_then(|link| link.practical_bps))),
    ]);
    details.extend(super::warnings(backup));
    let mut out = Vec::new();
    details.iter().for_each(|detail| detail.write(MARGIN, style, &mut out));
    out
}

fn data(backup: &Backup, style: &Style) -> String {
    let data = backup.copied.data;
    let mark = data.map_or("", super::items_mark);
    let items = backup.copied.items.map(|items| format!("{mark}{}", human::counted(items, "item", "items")));
    let data = data.map(|data| format!("{}{}", human::mark(data.bound), human::bytes(data.bytes, style.units)));
    [Some(or_unknown(data)), items].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
