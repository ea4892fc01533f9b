//! What the documentation says is to be done, read out of its fenced blocks.

use std::path::Path;

/// The one block of a page with this fence.
pub fn block(page: &str, info: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{page}: {e}"));
    let fence = format!("```{info}\n");
    let mut found = text.split(&fence).skip(1).map(|rest| rest.split("```").next().expect("text"));
    let block = found.next().unwrap_or_else(|| panic!("{page} has no block {info:?}"));
    assert_eq!(found.next(), None, "{page} has two blocks {info:?}");
    block.to_owned()
}

/// The instructions of a Dockerfile's last stage, after its FROM.
pub fn steps(dockerfile: &str) -> Vec<(&str, &str)> {
    let stage = dockerfile.rsplit("\nFROM ").next().expect("a stage");
    let mut found = Vec::new();
    let mut rest = stage.split_once('\n').expect("instructions").1;
    while !rest.is_empty() {
        // A line that ends with a backslash goes on.
        let goes_on = |at: &(usize, &str)| rest[..at.0].ends_with('\\');
        let end = rest.match_indices('\n').find(|at| !goes_on(at)).map_or(rest.len(), |at| at.0);
        found.extend(rest[..end].split_once(' '));
        rest = rest[end..].trim_start_matches('\n');
    }
    found
}

/// What the `run:` of each of GitHub's steps is.
pub fn step(job: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_inside = false;
    for line in job.lines() {
        match line.trim().strip_prefix("- run: ") {
            Some("|") => {
                found.push(String::new());
                is_inside = true;
            }
            Some(text) => {
                found.push(text.to_owned());
                is_inside = false;
            }
            None if is_inside && line.starts_with("          ") => {
                let script = found.last_mut().expect("a step");
                script.push_str(line.trim());
                script.push('\n');
            }
            None => is_inside = false,
        }
    }
    found
}

/// The lines of GitLab's script.
pub fn ci_steps(job: &str) -> Vec<String> {
    let lines = job.lines().skip_while(|line| line.trim() != "script:");
    lines.filter_map(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect()
}
