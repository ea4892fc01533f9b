//! Bytes → a tree. What is wrong with the bytes themselves is said first, for
//! every later place would be off.

use super::node::Node;
use super::report::Report;
use super::source::SourceText;
use super::{Code, from_json, from_toml};

/// Reads a source by its extension: `.json` is JSON, everything else TOML.
pub(super) fn parse(source: &SourceText, report: &mut Report<'_>) -> Option<Node> {
    if !is_clean(&source.bytes, report) {
        return None;
    }
    let text = report.page.text.as_str();
    if is_json(source) {
        from_json::parse(text, report)
    } else {
        Some(from_toml::parse(text, report))
    }
}

/// Is this source told to be JSON?
fn is_json(source: &SourceText) -> bool {
    source.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

fn is_clean(bytes: &[u8], report: &mut Report<'_>) -> bool {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let message = "the file is UTF-16".to_owned();
        report.add(Code::NotUtf8, &(0..1), message, "save it as UTF-8 without a byte order mark");
        return false;
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        let message = "the file begins with a byte order mark".to_owned();
        report.add(Code::ByteOrderMark, &(0..3), message, "save it as UTF-8 without one");
    }
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        let message = "there is a NUL byte here".to_owned();
        let help = "remove it: nothing after it would be seen by other tools";
        report.add(Code::NulByte, &(at..at + 1), message, help);
    }
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let message = format!("byte 0x{byte:02x} is no UTF-8");
        report.add(Code::NotUtf8, &(at..at + 1), message, "save the file as UTF-8");
    }
    report.errors == 0
}
