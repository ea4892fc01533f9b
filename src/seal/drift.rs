//! What has become of what is sealed, behind every shim.

use std::collections::BTreeMap;

use bstr::BString;

use super::{Class, Member, Object, Seal, SealId};

/// How something is not as it was sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing is there.
    Gone,
    /// Other bytes.
    Content,
    /// Other permissions.
    Mode,
    /// A file where a directory was, and the like.
    Kind,
    /// A link that leads elsewhere.
    Link,
}

impl Change {
    /// As the list and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            Change::Gone => "gone",
            Change::Content => "content",
            Change::Mode => "mode",
            Change::Kind => "kind",
            Change::Link => "link",
        }
    }
}

/// One path that has drifted from its seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    pub seal: SealId,
    pub path: BString,
    pub change: Change,
}

/// Compares a seal, and what it recorded of a directory, with what is there now: the object and
/// its members, or nothing. A file that has come into a directory is no drift.
pub fn drift(seal: &Seal, recorded: &[Member], now: Option<(&Object, &[Member])>) -> Vec<Drift> {
    let one = |path: BString, change| Drift { seal: seal.id, path, change };
    let Some((object, members)) = now else { return vec![one(seal.path.clone(), Change::Gone)] };
    let (Object::Tree { .. }, Object::Tree { .. }) = (&seal.object, object) else {
        let change = changed(&seal.object, object);
        return change.into_iter().map(|change| one(seal.path.clone(), change)).collect();
    };
    if seal.class == Class::ResetRoot {
        return Vec::new();
    }
    let now: BTreeMap<&BString, &Member> = members.iter().map(|now| (&now.path, now)).collect();
    let of = |member: &Member| {
        let change = match now.get(&member.path) {
            None => Some(Change::Gone),
            Some(now) => changed(&member.object, &now.object),
        };
        let path = [seal.path.as_slice(), b"/", &member.path].concat().into();
        change.map(|change| one(path, change))
    };
    recorded.iter().filter_map(of).collect()
}

fn changed(was: &Object, is: &Object) -> Option<Change> {
    match (was, is) {
        (
            Object::File { digest, mode, .. },
            Object::File { digest: digest_now, mode: mode_now, .. },
        ) => match (digest == digest_now, mode == mode_now) {
            (false, _) => Some(Change::Content),
            (true, false) => Some(Change::Mode),
            (true, true) => None,
        },
        (Object::Link { to }, Object::Link { to: now }) => (to != now).then_some(Change::Link),
        (Object::Tree { .. }, Object::Tree { .. }) => None,
        _ => Some(Change::Kind),
    }
}
