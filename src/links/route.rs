//! `route -n get`: the interface that packets to an address would take. A scoped answer proves nothing about that.

/// A route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// The interface's BSD name.
    pub(super) interface: String,
    /// Whether the address is on the interface's own network: there is no gateway.
    pub(super) on_link: bool,
}

/// Reads a route; `None` if there is none (`not in table`, with differing exit codes) or the answer is scoped.
pub(super) fn read(text: &str) -> Option<Route> {
    let field =
        |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':').map(str::trim));
    if field("flags").is_some_and(|flags| flags.contains("IFSCOPE")) {
        return None;
    }
    let interface = field("interface").filter(|name| !name.is_empty())?;
    Some(Route { interface: interface.to_owned(), on_link: field("gateway").is_none() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_names_an_interface() {
        let on_link = "   route to: 192.0.2.2\ndestination: 192.0.2.2\n  interface: en7\n      flags: <UP,HOST,DONE>\n";
        assert_eq!(read(on_link), Some(Route { interface: "en7".to_owned(), on_link: true }));
        let tunnel = "destination: 192.0.2.0\n    gateway: 198.51.100.3\n  interface: utun4\n      flags: <UP>\n";
        assert_eq!(read(tunnel), Some(Route { interface: "utun4".to_owned(), on_link: false }));
        let scoped = "  interface: en0\n      flags: <UP,GATEWAY,IFSCOPE>\n";
        assert_eq!(read(scoped), None);
        assert_eq!(read("route: writing to routing socket: not in table\n"), None);
    }
}
