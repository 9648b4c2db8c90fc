//! A check of `doctor` as JSON.

use serde::Serialize;

use crate::domain::check::Check;

/// One object of `checks`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckJson {
    name: String,
    state: &'static str,
    detail: String,
    without: Option<String>,
    remedy: Option<String>,
}

impl From<&Check> for CheckJson {
    fn from(check: &Check) -> Self {
        Self {
            name: check.name.clone(),
            state: check.state.word(),
            detail: check.detail.clone(),
            without: check.without.clone(),
            remedy: check.remedy.clone(),
        }
    }
}
