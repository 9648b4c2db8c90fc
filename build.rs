//! Lists the tables of `src/logs`, so that a new file there is taken in by being there.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut code = String::new();
    for (name, folder) in [("MESSAGES", "src/logs/messages"), ("FORMATS", "src/logs/formats")] {
        println!("cargo::rerun-if-changed={folder}");
        code.push_str(&table(name, folder)?);
    }
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets no OUT_DIR"))?;
    fs::write(Path::new(&out).join("log_tables.rs"), code)
}

/// Writes a constant that holds the name and the text of every TOML file of a folder.
fn table(name: &str, folder: &str) -> io::Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.extend(path.file_name().and_then(|file| file.to_str()).map(str::to_owned));
        }
    }
    files.sort();
    let mut code = format!("pub(super) const {name}: &[(&str, &str)] = &[\n");
    for file in files {
        let path = format!("/{folder}/{file}");
        writeln!(code, "    ({file:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),")
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    Ok(code)
}
