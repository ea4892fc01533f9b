//! One shim: where its link leads, and what is behind it.

use std::path::PathBuf;

use super::symptom::Guard;

/// A file of the directory, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenShim {
    pub name: String,
    pub leads: Leads,
    /// The program that it becomes on a pass.
    pub program: Option<String>,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leads {
    ToUs,
    ToAnother(PathBuf),
    Nowhere(PathBuf),
    /// It is no shim.
    NotOurs,
}

/// What that means. `refused` are the names that a rule wants, here or in another project; none
/// where no policy can be read.
pub fn shim(seen: SeenShim, refused: Option<&[String]>) -> Vec<Guard> {
    let SeenShim { name, leads, program } = seen;
    let is_refused = refused.is_none_or(|names| names.contains(&name));
    let behind = match program.clone() {
        Some(program) => Guard::Becomes { name: name.clone(), program },
        None if is_refused => Guard::OnlyRefuses { name: name.clone() },
        None => Guard::NothingBehind { name: name.clone() },
    };
    match leads {
        Leads::ToUs => vec![behind],
        Leads::ToAnother(target) => vec![Guard::OtherVersion { name, target }, behind],
        Leads::Nowhere(target) => {
            let is_wanted = program.is_some() || is_refused;
            vec![Guard::Dangling { name, target, is_wanted }]
        }
        Leads::NotOurs => vec![Guard::Foreign { name }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shim_is_good_for() {
        let another = || Leads::ToAnother("/old".into());
        let nowhere = || Leads::Nowhere("/gone".into());
        let rows: [(Leads, bool, bool, &[&str]); 8] = [
            (Leads::ToUs, true, false, &["Becomes"]),
            (Leads::ToUs, false, true, &["OnlyRefuses"]),
            (Leads::ToUs, false, false, &["NothingBehind"]),
            (another(), true, false, &["OtherVersion", "Becomes"]),
            (another(), false, false, &["OtherVersion", "NothingBehind"]),
            (nowhere(), true, false, &["Dangling"]),
            (nowhere(), false, false, &["Dangling"]),
            (Leads::NotOurs, true, true, &["Foreign"]),
        ];
        for (leads, is_there, is_refused, wanted) in rows {
            let program = is_there.then(|| "/bin/x".to_owned());
            let refused: Vec<String> = is_refused.then(|| "x".to_owned()).into_iter().collect();
            let seen = SeenShim { name: "x".to_owned(), leads, program };
            let found = shim(seen.clone(), Some(&refused));
            let names: Vec<String> = found.iter().map(|symptom| format!("{symptom:?}")).collect();
            assert_eq!(names.len(), wanted.len(), "{names:?}");
            for (name, wanted) in names.iter().zip(wanted) {
                assert!(name.starts_with(wanted), "{seen:?}: {name}");
            }
        }
    }
}
