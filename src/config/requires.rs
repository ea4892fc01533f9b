//! `requires`: an older embargo refuses a file that it would misread.

use super::Code;
use super::fields::Fields;
use super::node::Node;
use super::report::Report;

/// Is the file written for this version? Reports when not; a file without `requires` is.
pub(super) fn is_met(node: &Node, report: &mut Report<'_>) -> bool {
    is_met_by(node, env!("CARGO_PKG_VERSION"), report)
}

fn is_met_by(node: &Node, version: &str, report: &mut Report<'_>) -> bool {
    let super::node::Value::Table(entries) = &node.value else { return true };
    let fields = Fields { entries, node };
    if fields.get("requires").is_none() {
        return true;
    }
    let Some(wanted) = fields.text("requires", report) else { return false };
    match holds(&wanted.text, version) {
        Some(true) => true,
        Some(false) => {
            let message =
                format!("this is embargo {version}, and the file requires {}", wanted.text);
            let help =
                "update embargo, or use the version named; nothing else in the file was looked at";
            report.add(Code::NeedsNewer, &wanted.span, message, help);
            false
        }
        None => {
            let message = format!("`requires` names no versions: `{}`", wanted.text);
            let help = "write `>=0.1`, `=0.1.2`, or several with commas between: `>=0.1, <0.4`";
            report.add(Code::BadValue, &wanted.span, message, help);
            false
        }
    }
}

/// Do all comparisons hold? `None` when they cannot be read.
fn holds(wanted: &str, version: &str) -> Option<bool> {
    // What follows `-` or `+` is a build of the version, not another version.
    let version = numbers(version.split(['-', '+']).next()?)?;
    wanted.split(',').try_fold(true, |all, part| Some(all & compare(part.trim(), &version)?))
}

fn compare(part: &str, version: &[u64]) -> Option<bool> {
    let digits = part.find(|c: char| c.is_ascii_digit())?;
    let (sign, wanted) = part.split_at(digits);
    let wanted = numbers(wanted)?;
    // `=0.1` is any 0.1.x, `>=0.1` is 0.1.0 and later: what is not written is not compared.
    let order = version.get(..wanted.len())?.cmp(&wanted);
    Some(match sign.trim() {
        ">=" => order.is_ge(),
        "=" => order.is_eq(),
        ">" => order.is_gt(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        _ => return None,
    })
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn requirements_hold_or_not() {
        let table = [
            (">=0.1", "0.1.0", Some(true)),
            (">=0.1.1", "0.1.0", Some(false)),
            (">=0.3", "0.1.0", Some(false)),
            (">= 0.1", "0.10.2", Some(true)),
            ("=0.1", "0.1.7", Some(true)),
            ("=0.1.0", "0.1.7", Some(false)),
            (">=0.1, <0.2", "0.1.7", Some(true)),
            (">=0.1,<0.2", "0.2.0", Some(false)),
            (">0.1", "0.1.9", Some(false)),
            (">0.1", "0.2.0", Some(true)),
            ("<=0.1", "0.1.9", Some(true)),
            (">=0.2", "0.2.0-dev.1", Some(true)),
            (">=1", "0.9.9", Some(false)),
            ("0.1", "0.1.0", None),
            ("^0.1", "0.1.0", None),
            (">=0.1.0.0", "0.1.0", None),
            (">=x", "0.1.0", None),
            (">=0.1,", "0.1.0", None),
        ];
        let wrong: Vec<_> = table
            .into_iter()
            .filter(|(wanted, version, expected)| holds(wanted, version) != *expected)
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
