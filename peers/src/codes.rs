//! The codes this program was built with.

use crate::holonom;
use crate::interface::Integrate;

/// A code that can be measured.
#[derive(Clone, Copy)]
pub struct Code {
    /// Name on the command line and in tables.
    pub name: &'static str,
    /// Runs it.
    pub integrate: Integrate,
}

/// Name of the code all ratios refer to.
pub const YARDSTICK: &str = "ida";
/// Name of our own.
pub const OURS: &str = "holonom";

/// All names there could be, with whether this build has them.
const NAMES: [(&str, bool); 5] = [
    (OURS, holonom::CONNECTED),
    ("ida", cfg!(feature = "ida")),
    ("dassl", cfg!(feature = "dassl")),
    ("radau5", cfg!(feature = "radau5")),
    ("diffsol", cfg!(feature = "diffsol")),
];

/// The codes in this build, Holonom first.
pub fn built() -> Vec<Code> {
    let mut codes: Vec<Code> = Vec::new();
    if holonom::CONNECTED {
        codes.push(Code { name: OURS, integrate: holonom::integrate });
    }
    #[cfg(feature = "ida")]
    codes.push(Code { name: "ida", integrate: crate::ida::integrate });
    #[cfg(feature = "dassl")]
    codes.push(Code { name: "dassl", integrate: crate::dassl::integrate });
    #[cfg(feature = "radau5")]
    codes.push(Code { name: "radau5", integrate: crate::radau5::integrate });
    #[cfg(feature = "diffsol")]
    codes.push(Code { name: "diffsol", integrate: crate::diffsol::integrate });
    codes
}

/// The code of that name, or why there is none.
pub fn find(name: &str) -> Result<Code, String> {
    if let Some(code) = built().into_iter().find(|c| c.name == name) {
        return Ok(code);
    }
    match NAMES.iter().find(|(known, _)| *known == name) {
        Some((OURS, _)) => Err("Holonom's solver is not connected to this program yet (src/holonom.rs)".into()),
        Some(_) => Err(format!("this program was built without `{name}`; build with `--features {name}`")),
        None => Err(format!("no code named `{name}`; there are {}", NAMES.map(|(n, _)| n).join(", "))),
    }
}

/// The codes named, or all in this build when none is.
pub fn select(names: &[String]) -> Result<Vec<Code>, String> {
    if names.is_empty() {
        return Ok(built());
    }
    names.iter().map(|n| find(n)).collect()
}
