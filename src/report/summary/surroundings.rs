//! The Mac and the conditions under which the backup ran.

use crate::domain::backup::{Conditions, Machine};
use crate::report::human;
use crate::report::style::{Style, Units};

/// Model, chip, memory, and the disk that was read; `None` if nothing is known.
pub(super) fn machine(machine: &Machine) -> Option<String> {
    // Memory is sold by powers of 1,024 under any name.
    let memory = machine.memory_bytes.map(|bytes| format!("{} memory", human::margin(bytes, Units::Iec)));
    let source = machine.source_disk.as_ref().map(|disk| format!("source {disk}"));
    list([machine.model.clone(), machine.chip.clone(), memory, source])
}

/// System, power and throttling; then the volume; without what is not known.
pub(super) fn conditions(conditions: &Conditions, style: &Style) -> Vec<String> {
    let macos = conditions.macos.as_ref().map(|version| match &conditions.build {
        Some(build) => format!("macOS {version} ({build})"),
        None => format!("macOS {version}"),
    });
    let power = conditions.power.as_ref().map(|power| format!("on {power}"));
    let throttled = conditions.throttled.map(|throttled| if throttled { "throttled" } else { "not throttled" });
    let encrypted = conditions.encrypted.map(|encrypted| if encrypted { "encrypted" } else { "not encrypted" });
    let free = conditions.free_bytes.map(|bytes| format!("{} free", human::bytes(bytes, style.units)));
    let volume = list([conditions.file_system.clone(), encrypted.map(str::to_owned), free]);
    let volume = volume.map(|volume| format!("destination {volume}"));
    list([macos, power, throttled.map(str::to_owned)]).into_iter().chain(volume).collect()
}

fn list<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::examples;

    #[test]
    fn what_is_known_is_told_in_one_line() {
        let backup = examples::full();
        assert_eq!(machine(&backup.machine).unwrap(), "Mac14,2, Apple M2, 8 GiB memory, source APPLE SSD");
        assert_eq!(
            conditions(&backup.conditions, &Style::default()),
            ["macOS 13.2 (22D49), on mains, throttled", "destination apfs, not encrypted, 1.00 MB free"]
        );
        assert_eq!(machine(&Machine::default()), None);
        assert!(conditions(&Conditions::default(), &Style::default()).is_empty());
    }
}
