//! A fault points at something: a line that is there, and columns within it.

use embargo::config::{Diagnostic, SourceText};
use embargo::render::diagnostic;

/// Every fault of this source, and how it is shown.
pub fn assert_well_placed(faults: &[Diagnostic], source: &SourceText) {
    let text = String::from_utf8_lossy(&source.bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    for fault in faults {
        assert!(fault.line >= 1 && fault.column >= 1 && fault.length >= 1, "{fault:?}");
        if fault.path != source.path {
            continue;
        }
        let line = lines.get(fault.line as usize - 1);
        let line = line.unwrap_or_else(|| panic!("there is no such line: {fault:?}"));
        let shown = line.strip_suffix('\r').unwrap_or(line);
        assert!(fault.source_line == shown || fault.source_line == *line, "{fault:?}");
        // A place may be the line's end; a mark is never longer than the line.
        let width = fault.source_line.chars().count();
        assert!(fault.column as usize <= width + 1, "column beyond the line: {fault:?}");
        let end = (fault.column + fault.length) as usize - 1;
        assert!(end <= width.max(fault.column as usize), "mark beyond the line: {fault:?}");
    }
    assert!(faults.is_empty() || !diagnostic::plain_all(faults).is_empty());
}
