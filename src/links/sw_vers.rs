//! `sw_vers`: the macOS version. Binaries built against old SDKs may be told 10.16 for 11; this tool is not.

use super::asker::Asker;

/// The value of a line such as `ProductVersion:\t\t26.1`.
pub fn field(text: &str, name: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The first number of the version: 10, 15, 26.
pub(super) fn major(asker: &mut Asker) -> Option<u32> {
    let text = asker.text("sw_vers", &[]).ok()?;
    field(&text, "ProductVersion")?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_what_stands_behind_its_colon() {
        let text = "ProductName:\t\tmacOS\nProductVersion:\t\t26.1\nBuildVersion:\t\t25B78\n";
        assert_eq!(field(text, "ProductVersion").as_deref(), Some("26.1"));
        assert_eq!(field(text, "BuildVersion").as_deref(), Some("25B78"));
        assert_eq!(field(text, "Product"), None);
    }
}
