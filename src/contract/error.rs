//! A failure as a program reads it.

use serde::Serialize;

use crate::error::Exit;

/// The error that ended a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct ErrorJson {
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The exit code.
    pub code: u8,
    pub message: String,
    /// Several hints stand on a line each.
    pub hint: Option<String>,
}

impl ErrorJson {
    /// An error with its hints.
    pub fn new(exit: Exit, message: String, hints: &[String]) -> Self {
        let hint = (!hints.is_empty()).then(|| hints.join("\n"));
        Self { kind: "error", code: exit.code(), message, hint }
    }
}
