//! Names that rules speak of, against the shims that are there.

use super::symptom::Guard;
use crate::policy::Reserved;

/// What has no shim and could bite in one.
pub fn unshimmed(wanted: &[String], shims: &[String]) -> Vec<Guard> {
    let missing = wanted.iter().filter(|name| !shims.contains(name)).cloned();
    let (reserved, names): (Vec<_>, Vec<_>) =
        missing.partition(|name| Reserved::BUILT_IN.contains(&name.as_str()));
    let mut symptoms = Vec::new();
    if !names.is_empty() {
        symptoms.push(Guard::Unshimmed { names });
    }
    if !reserved.is_empty() {
        symptoms.push(Guard::ReservedUnshimmed { names: reserved });
    }
    if symptoms.is_empty() {
        symptoms.push(Guard::AllShimmed { names: wanted.len() });
    }
    symptoms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_shim() {
        let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<String>>();
        let (git, reserved) = (names(&["git"]), names(&["run_shell"]));
        let both = || names(&["git", "run_shell"]);
        let found = unshimmed(&both(), &[]);
        let wanted = [
            Guard::Unshimmed { names: git.clone() },
            Guard::ReservedUnshimmed { names: reserved.clone() },
        ];
        assert_eq!(found, wanted);
        assert_eq!(unshimmed(&both(), &reserved), [Guard::Unshimmed { names: git }]);
        assert_eq!(unshimmed(&both(), &both()), [Guard::AllShimmed { names: 2 }]);
    }
}
