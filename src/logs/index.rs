//! Finds the rows whose template can begin a message, by walking the message's first bytes.
//!
//! The walk costs as many steps as the message shares bytes with some template, however many rows there are.

/// How deep the tree goes; rows that begin alike for longer are tried one after the other.
const DEPTH: usize = 24;

#[derive(Debug, Default)]
struct Node {
    next: Vec<(u8, usize)>,
    rows: Vec<usize>,
}

/// A tree of beginnings.
#[derive(Debug)]
pub(super) struct Index(Vec<Node>);

impl Index {
    /// An index of nothing.
    pub(super) fn new() -> Self {
        Self(vec![Node::default()])
    }

    /// Files a row under a beginning.
    pub(super) fn insert(&mut self, head: &[u8], row: usize) {
        let mut node = 0;
        for &byte in head.iter().take(DEPTH) {
            node = self.child(node, byte).unwrap_or_else(|| {
                let new = self.0.len();
                self.0.push(Node::default());
                self.0[node].next.push((byte, new));
                new
            });
        }
        self.0[node].rows.push(row);
    }

    /// Calls `each` with the rows that could read `message`, longest beginning first, until it finds something.
    pub(super) fn find<T>(&self, message: &[u8], mut each: impl FnMut(usize) -> Option<T>) -> Option<T> {
        let mut way = [0; DEPTH + 1];
        let mut length = 1;
        for &byte in message.iter().take(DEPTH) {
            let Some(node) = self.child(way[length - 1], byte) else { break };
            way[length] = node;
            length += 1;
        }
        way[..length].iter().rev().flat_map(|&node| &self.0[node].rows).find_map(|&row| each(row))
    }

    fn child(&self, node: usize, byte: u8) -> Option<usize> {
        self.0[node].next.iter().find(|next| next.0 == byte).map(|next| next.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_beginnings_come_first() {
        let mut index = Index::new();
        for (row, head) in ["Copied ", "Copying \"", "C", "Backup"].iter().enumerate() {
            index.insert(head.as_bytes(), row);
        }
        let mut tried = Vec::new();
        let none: Option<()> = index.find("Copying \"Data\"".as_bytes(), |row| {
            tried.push(row);
            None
        });
        assert!(none.is_none());
        assert_eq!(tried, [1, 2]);
        assert_eq!(index.find(b"Backup", Some), Some(3));
        assert_eq!(index.find(b"", Some), None);
    }
}
