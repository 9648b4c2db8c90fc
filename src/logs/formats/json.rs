//! JSON objects over many lines, as `log show --style json` prints them in an array.

/// Finds the objects of a text that comes line by line.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// The object under way.
    text: String,
    depth: usize,
    in_text: bool,
    escaped: bool,
}

/// An object that goes on for longer is given up.
const LONGEST: usize = 16 << 20;

impl Objects {
    /// Whether an object is under way.
    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Takes a line and calls `each` with the objects that end in it.
    pub(super) fn push(&mut self, line: &str, mut each: impl FnMut(&str)) {
        let mut from = 0;
        for (at, byte) in line.bytes().enumerate() {
            if self.in_text {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' if self.depth > 0 => self.in_text = true,
                b'{' => {
                    if self.depth == 0 {
                        from = at;
                    }
                    self.depth += 1;
                }
                b'}' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.text.push_str(line.get(from..=at).unwrap_or_default());
                        each(&self.text);
                        self.text.clear();
                    }
                }
                _ => {}
            }
        }
        if self.depth > 0 {
            self.text.push_str(line.get(from..).unwrap_or_default());
            self.text.push(' ');
        }
        if self.text.len() > LONGEST {
            *self = Self::default();
        }
    }

    /// Gives up the object under way and returns what there was of it.
    pub(super) fn cut(&mut self) -> Option<String> {
        let open = std::mem::take(self);
        (open.depth > 0).then_some(open.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(text: &str) -> (Vec<String>, bool) {
        let (mut objects, mut found) = (Objects::default(), Vec::new());
        for line in text.lines() {
            objects.push(line, |object| found.push(object.to_owned()));
        }
        let cut = objects.cut().is_some();
        (found, cut)
    }

    #[test]
    fn objects_are_found_whatever_stands_between() {
        let text = "[{\n  \"a\" : \"}\\\"{\",\n  \"b\" : {\"c\":1}\n},{\n\"d\":2 }]\n";
        assert_eq!(objects(text).0, ["{   \"a\" : \"}\\\"{\",   \"b\" : {\"c\":1} }", "{ \"d\":2 }"]);
        assert_eq!(objects("[\n  {\n    \"a\": 1\n  },\n").0.len(), 1);
        assert_eq!(objects("[{\n \"a\" : \"x"), (Vec::new(), true));
        assert_eq!(objects("]} text \"{\n").0.len(), 0);
    }
}
