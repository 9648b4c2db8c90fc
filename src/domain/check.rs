//! What `doctor` found out.

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Works.
    Ok,
    /// Missing or not permitted.
    No,
    /// Could not be told.
    Unknown,
    /// Does not apply here.
    NotHere,
}

impl State {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::No => "no",
            Self::Unknown => "unknown",
            Self::NotHere => "not-here",
        }
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// How it came out.
    pub state: State,
    /// What was found.
    pub detail: String,
    /// What can't be known or done without it.
    pub without: Option<String>,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl Check {
    /// A check that came out as `state`.
    pub fn new(name: &str, state: State, detail: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state, detail: detail.into(), without: None, remedy: None }
    }

    /// Adds what can't be known or done without it, and what to do about it.
    #[must_use]
    pub fn mend(mut self, without: impl Into<String>, remedy: impl Into<String>) -> Self {
        self.without = Some(without.into());
        self.remedy = Some(remedy.into());
        self
    }
}
