//! Formats that a user adds, from a folder, under the same checks as the built-in ones.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::Format;
use super::{Formats, proof};

/// Why a format of the user is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// Which of its samples, from 1.
    pub sample: Option<usize>,
    /// What is wrong.
    pub why: String,
    /// What might be done.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(sample) = self.sample {
            write!(f, ": sample {sample}")?;
        }
        write!(f, ": {}", self.why)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl Formats {
    /// The built-in formats and those of a folder, with what is wrong with the ones that had to be left out. A folder that
    /// isn't there holds none.
    pub fn load_user(folder: &Path) -> (Self, Vec<Diagnostic>) {
        let mut formats = Self::built_in().clone();
        let mut diagnostics = Vec::new();
        for file in toml_files(folder) {
            match load(&file, &formats) {
                Ok(format) => formats.all.push(Arc::new(format)),
                Err(found) => diagnostics.extend(found),
            }
        }
        (formats, diagnostics)
    }
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

fn load(file: &Path, formats: &Formats) -> Result<Format, Vec<Diagnostic>> {
    let diagnostic = |line, why: String| Diagnostic { file: file.to_owned(), line, sample: None, why, help: None };
    let text = fs::read_to_string(file).map_err(|error| vec![diagnostic(None, error.to_string())])?;
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("user.toml");
    let format = Format::compile(name, &text).map_err(|refused| vec![diagnostic(refused.line, refused.why)])?;
    if formats.named(format.name()).is_some() {
        return Err(vec![diagnostic(None, format!("there is a format `{}` already", format.name()))]);
    }
    let format = Arc::new(format);
    let found: Vec<Diagnostic> = proof::failures(&format, formats)
        .into_iter()
        .map(|failure| Diagnostic {
            file: file.to_owned(),
            line: Some(failure.line),
            sample: Some(failure.sample),
            why: failure.why,
            help: failure.help,
        })
        .collect();
    if found.is_empty() { Arc::try_unwrap(format).map_err(|_| Vec::new()) } else { Err(found) }
}
