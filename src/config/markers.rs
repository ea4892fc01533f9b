//! What a project's directory tells of the packs that suit it.

use super::Pack;

/// A file by which a pack is proposed.
struct Marker {
    pack: &'static str,
    /// Its name; `*.tf` is any of that ending, an absolute path is one place of the machine.
    file: &'static str,
    /// What it has to hold; empty when its being there is enough.
    holds: &'static str,
}

const fn marker(pack: &'static str, file: &'static str, holds: &'static str) -> Marker {
    Marker { pack, file, holds }
}

/// Of two that conflict the first is taken: what a file says in words stands before lock files.
const MARKERS: &[Marker] = &[
    marker("gradle-wrapper", "gradlew", ""),
    marker("maven-wrapper", "mvnw", ""),
    marker("python-uv", "uv.lock", ""),
    marker("python-uv", "pyproject.toml", "[tool.uv"),
    marker("poetry", "poetry.lock", ""),
    marker("poetry", "pyproject.toml", "[tool.poetry"),
    marker("node-pnpm", "package.json", "\"packageManager\": \"pnpm@"),
    marker("node-yarn", "package.json", "\"packageManager\": \"yarn@"),
    marker("bun", "package.json", "\"packageManager\": \"bun@"),
    marker("node-pnpm", "pnpm-lock.yaml", ""),
    marker("node-yarn", "yarn.lock", ""),
    marker("bun", "bun.lock", ""),
    marker("bun", "bun.lockb", ""),
    marker("docker-compose-v2", "compose.yaml", ""),
    marker("docker-compose-v2", "compose.yml", ""),
    marker("docker-compose-v2", "docker-compose.yaml", ""),
    marker("docker-compose-v2", "docker-compose.yml", ""),
    marker("perforce-not-git", ".p4config", ""),
    marker("perforce-not-git", ".p4ignore", ""),
    marker("git-history", ".git", ""),
    marker("cloud-prod", "*.tf", ""),
    marker("cloud-prod", "Chart.yaml", ""),
    marker("cloud-prod", "kustomization.yaml", ""),
    marker("wsl-paths", "/proc/sys/kernel/osrelease", "microsoft"),
];

/// Files that leave open which pack suits: nothing beside them says so yet.
const UNDECIDED: [Undecided; 5] = [
    ("pyproject.toml", &["python-uv", "poetry"]),
    ("package.json", &["node-pnpm", "node-yarn", "bun"]),
    ("build.gradle", &["gradle-wrapper"]),
    ("build.gradle.kts", &["gradle-wrapper"]),
    ("pom.xml", &["maven-wrapper"]),
];

/// A file, and the packs one of which may be meant.
pub type Undecided = (&'static str, &'static [&'static str]);

/// Those in a directory of these names.
pub fn undecided(names: &[String], proposals: &[Proposal]) -> Vec<Undecided> {
    let is_told = |packs: &[&str]| proposals.iter().any(|p| packs.contains(&p.pack.name));
    let open = UNDECIDED
        .iter()
        .filter(|(file, packs)| names.iter().any(|name| name == file) && !is_told(packs));
    open.copied().collect()
}

/// A pack that suits, or would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub pack: Pack,
    /// What speaks for it: `gradlew`, or `[tool.uv` in `pyproject.toml`.
    pub found: String,
    /// The pack that was taken before, and cannot be combined with it.
    pub instead_of: Option<&'static str>,
}

/// The packs for a directory with these names in it, each once, in a fixed order. `read`
/// gives a file's text, or nothing.
pub fn proposals(names: &[String], read: impl Fn(&str) -> Option<String>) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for marker in MARKERS {
        let Ok(pack) = Pack::named(marker.pack) else { continue };
        let is_known = proposals.iter().any(|p| p.pack == pack);
        let Some(found) = found(marker, names, &read).filter(|_| !is_known) else { continue };
        proposals.push(Proposal { pack, found, instead_of: rival(pack, &proposals) });
    }
    proposals
}

/// The pack among those taken that this one cannot be combined with.
pub fn rival(pack: Pack, taken: &[Proposal]) -> Option<&'static str> {
    let taken = taken.iter().filter(|p| p.instead_of.is_none()).map(|p| p.pack);
    let mut rivals = taken.filter(|other| {
        let says = |one: &Pack, other: &Pack| one.conflicts().iter().any(|c| c == other.name);
        says(&pack, other) || says(other, &pack)
    });
    rivals.next().map(|pack| pack.name)
}

fn found(
    marker: &Marker,
    names: &[String],
    read: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let Marker { file, holds, .. } = *marker;
    let is_it = |name: &&String| match file.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => **name == file,
    };
    let name = match file.starts_with('/') {
        true => file,
        false => names.iter().find(is_it)?,
    };
    if holds.is_empty() {
        return Some(format!("`{name}`"));
    }
    // Of JSON only the white space varies.
    let plain = |text: &str| text.replace(char::is_whitespace, "").to_lowercase();
    let text = read(name)?;
    let close = if holds.starts_with('[') { "]" } else { "" };
    plain(&text).contains(&plain(holds)).then(|| format!("`{holds}{close}` in `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_leads_to_a_pack() {
        for marker in MARKERS {
            assert!(Pack::named(marker.pack).is_ok(), "{}", marker.pack);
        }
        for name in UNDECIDED.iter().flat_map(|(_, packs)| *packs) {
            assert!(Pack::named(name).is_ok(), "{name}");
        }
    }
}
