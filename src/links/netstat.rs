//! `netstat -anv -p tcp`: which local address really talks to a server.

/// An established connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    /// The address of this Mac, with its scope (`fe80::7%en4`).
    pub(super) local: String,
    /// The server's address, without scope.
    pub(super) server: String,
    /// The server's port.
    pub(super) port: u16,
    /// Bytes sent, where the column is there.
    pub(super) sent_bytes: Option<u64>,
}

/// Reads the established connections. Columns changed over the years, so all is found from the state's word on; what
/// listens is this Mac's own server.
pub(super) fn read(text: &str) -> Vec<Connection> {
    let has_bytes = text.lines().any(|line| line.contains("rxbytes") && line.contains("txbytes"));
    text.lines().filter_map(|line| connection(line, has_bytes)).collect()
}

fn connection(line: &str, has_bytes: bool) -> Option<Connection> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let state = words.iter().position(|word| *word == "ESTABLISHED")?;
    let (local, _) = address(words.get(state.checked_sub(2)?)?)?;
    let (server, port) = address(words.get(state.checked_sub(1)?)?)?;
    // rxbytes, txbytes follow the state.
    let sent_bytes = has_bytes.then(|| words.get(state + 2)?.parse().ok()).flatten();
    let server = server.split('%').next().unwrap_or_default().to_owned();
    Some(Connection { local: local.to_owned(), server, port: port.parse().ok()?, sent_bytes })
}

/// Splits `192.0.2.30.445` or `fe80::7%en4.445` at its last dot.
fn address(word: &str) -> Option<(&str, &str)> {
    word.rsplit_once('.').filter(|(address, _)| *address != "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn established_rows_of_both_families_are_read() {
        let text = "\
Active Internet connections (including servers)
Proto Recv-Q Send-Q  Local Address     Foreign Address   (state)      rxbytes  txbytes  rhiwat  shiwat process:pid
tcp4       0      0  192.0.2.30.61042  192.0.2.2.445     ESTABLISHED  4403218  1075986227  131072 2344632 kernel_task:0
tcp6       0      0  fe80::5%en7.50000 fe80::2%en7.445   ESTABLISHED        1        2  131072  131072 kernel_task:0
tcp4       0      0  *.445             *.*               LISTEN             0        0  131072  131072 smbd:812
tcp46      0      0  odd ESTABLISHED
";
        let rows = read(text);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].local, "192.0.2.30");
        assert_eq!((rows[0].server.as_str(), rows[0].port), ("192.0.2.2", 445));
        assert_eq!(rows[0].sent_bytes, Some(1_075_986_227));
        assert_eq!((rows[1].local.as_str(), rows[1].server.as_str()), ("fe80::5%en7", "fe80::2"));
    }

    #[test]
    fn without_the_byte_columns_there_are_no_bytes() {
        let rows = read("tcp4 0 0 192.0.2.30.61042 192.0.2.2.548 ESTABLISHED 131072 131072 0 0");
        assert_eq!((rows[0].port, rows[0].sent_bytes), (548, None));
        assert_eq!(read("ESTABLISHED\nx ESTABLISHED\n"), []);
    }
}
