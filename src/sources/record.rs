//! Records of this program: one JSON object with all backups, or one object a line.

use serde_json::Value;

use super::{Fault, Gathered};
use crate::contract;

pub(super) fn read(name: &str, bytes: &[u8], gathered: &mut Gathered) {
    for object in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        let object = match object {
            Ok(object) => object,
            Err(error) => return gathered.trouble(name, Fault::Damaged(error.to_string())),
        };
        let backups = match object.get("backups").and_then(Value::as_array) {
            Some(backups) => backups.clone(),
            None if object.get("type").and_then(Value::as_str) == Some("backup") => vec![object],
            None => continue,
        };
        for backup in backups {
            match contract::backup::read(&backup.to_string()) {
                Ok(backup) => gathered.backups.push(backup),
                Err(error) => gathered.trouble(name, Fault::Damaged(error.to_string())),
            }
        }
    }
}
