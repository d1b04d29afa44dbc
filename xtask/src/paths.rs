//! Paths: the target folder, the homing binary.

use std::env;
use std::path::{Path, PathBuf};

/// The file cargo leaves in every target folder.
const TAG: &str = "CACHEDIR.TAG";

/// Cargo's target folder: the tagged folder above the running executable, else `target` here.
pub fn target_dir() -> PathBuf {
    let above = env::current_exe()
        .ok()
        .and_then(|exe| exe.ancestors().skip(1).find(|folder| folder.join(TAG).is_file()).map(Path::to_path_buf));
    above.or_else(|| env::var_os("CARGO_TARGET_DIR").map(PathBuf::from)).unwrap_or_else(|| PathBuf::from("target"))
}

/// The homing binary: `HOMING_BIN`, else the sibling of the running executable, else what was built last with
/// `--release` or without.
pub fn homing_binary() -> Option<PathBuf> {
    if let Some(path) = env::var_os("HOMING_BIN") {
        return Some(PathBuf::from(path));
    }
    let exe = env::current_exe().ok()?;
    let siblings = exe.ancestors().skip(1).take(2).map(Path::to_path_buf); // a test binary is one folder deeper, in deps
    let built = ["release", "debug"].map(|profile| target_dir().join(profile));
    siblings.chain(built).map(|folder| folder.join("homing")).find(|path| path.is_file())
}
