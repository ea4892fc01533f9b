//! Our lines into the text of a harness's JSON, and out of it again: what else is there keeps its
//! bytes and its order, comments included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::plan::{Entry, Item, Json, Layout};

/// Why a text cannot take our lines; completes "the file …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmergeable(pub String);

/// The text with our lines, in the place of any older ones. `call` is the command line up to the
/// harness's name. An empty text is an empty object.
pub fn install(text: &str, json: &Json, call: &str) -> Result<String, Unmergeable> {
    let (mark, text) = without_mark(text);
    let root = parse(if text.trim().is_empty() { "{}\n" } else { text })?;
    let top = object(&root)?;
    let hooks = match top.get("hooks") {
        Some(_) => top.object_value("hooks").ok_or_else(|| wrong("hooks", "object"))?,
        None => {
            if let Some(version) = json.version.filter(|_| top.get("version").is_none()) {
                top.append("version", CstInputValue::Number(version.to_string()));
            }
            top.object_value_or_create("hooks").ok_or_else(|| wrong("hooks", "object"))?
        }
    };
    for entry in json.entries {
        let list = hooks
            .array_value_or_create(entry.event)
            .ok_or_else(|| wrong(&format!("hooks.{}", entry.event), "list"))?;
        let wanted = element(entry, json.layout, call);
        let ours = ours(&list);
        let is_there = match ours.as_slice() {
            [one] => one.to_serde_value().is_some_and(|found| found == value(&wanted)),
            _ => false,
        };
        if !is_there {
            remove(&list);
            list.append(wanted);
        }
    }
    let is_wanted = |event: &str| json.entries.iter().any(|entry| entry.event == event);
    prune(&hooks, |event| !is_wanted(event));
    Ok(format!("{mark}{root}"))
}

/// The text without our lines, and without the lists that are empty then.
pub fn uninstall(text: &str) -> Result<String, Unmergeable> {
    let (mark, text) = without_mark(text);
    let root = parse(text)?;
    let top = object(&root)?;
    let Some(hooks) = top.object_value("hooks") else { return Ok(format!("{mark}{root}")) };
    if prune(&hooks, |_| true)
        && hooks.properties().is_empty()
        && let Some(hooks) = top.get("hooks")
    {
        hooks.remove();
    }
    Ok(format!("{mark}{root}"))
}

/// The binary that our lines call; none where there are none.
pub fn binary(text: &str) -> Option<String> {
    let root = parse(without_mark(text).1).ok()?;
    let hooks = object(&root).ok()?.object_value("hooks")?;
    let lists = hooks.properties().into_iter().filter_map(|list| list.array_value());
    let ours: Vec<CstNode> = lists.flat_map(|list| self::ours(&list)).collect();
    ours.iter().flat_map(handlers).find_map(|handler| called(&handler))
}

/// Windows editors put a byte order mark in front.
fn without_mark(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches('\u{feff}');
    (&text[..text.len() - rest.len()], rest)
}

fn parse(text: &str) -> Result<CstRootNode, Unmergeable> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|e| Unmergeable(format!("is no JSON that can be read: {e}")))
}

fn object(root: &CstRootNode) -> Result<CstObject, Unmergeable> {
    root.object_value().ok_or_else(|| Unmergeable("holds no JSON object".to_owned()))
}

fn wrong(key: &str, kind: &str) -> Unmergeable {
    Unmergeable(format!("has a `{key}` that is no {kind}"))
}

/// Takes our lines out of those events; was there one?
fn prune(hooks: &CstObject, of: impl Fn(&str) -> bool) -> bool {
    let mut is_any = false;
    for list in hooks.properties() {
        let Some(array) = list.array_value() else { continue };
        if list.decoded_name().is_some_and(|name| of(&name)) && remove(&array) {
            is_any = true;
            if array.elements().is_empty() {
                list.remove();
            }
        }
    }
    is_any
}

/// Takes ours out of a list; of a group with others' handlers in it only our handler.
fn remove(list: &CstArray) -> bool {
    let ours = ours(list);
    for element in &ours {
        let others = handlers(element).iter().any(|handler| called(handler).is_none());
        if !others {
            element.clone().remove();
            continue;
        }
        for handler in handlers(element).into_iter().filter(|h| called(h).is_some()) {
            CstNode::from(handler).remove();
        }
    }
    !ours.is_empty()
}

/// The elements of a list that call us.
fn ours(list: &CstArray) -> Vec<CstNode> {
    let calls_us = |element: &CstNode| handlers(element).iter().any(|h| called(h).is_some());
    list.elements().into_iter().filter(calls_us).collect()
}

/// The handlers of a group, or the one that an element is.
fn handlers(element: &CstNode) -> Vec<CstObject> {
    let Some(object) = element.as_object() else { return Vec::new() };
    match object.array_value("hooks") {
        Some(list) => list.elements().iter().filter_map(CstNode::as_object).collect(),
        None => vec![object],
    }
}

/// The binary that a handler calls, if that is `embargo hook`.
fn called(handler: &CstObject) -> Option<String> {
    let value = handler.to_serde_value()?;
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let (binary, is_hook) = match text("exec") {
        Some(binary) => (binary, value.pointer("/args/0").and_then(Value::as_str) == Some("hook")),
        None => {
            let line = text("command").or_else(|| text("bash"))?;
            let (binary, _) = line.split_once(" hook ")?;
            (binary, true)
        }
    };
    let binary = binary.trim_matches(['\'', '"']);
    let name = binary.rsplit('/').next().unwrap_or(binary);
    (is_hook && name.starts_with("embargo")).then(|| binary.to_owned())
}

/// An element of an event's list.
fn element(entry: &Entry, layout: Layout, call: &str) -> CstInputValue {
    let item = |item: &Item| match item {
        Item::Text(text) => CstInputValue::String((*text).to_owned()),
        Item::Number(number) => CstInputValue::Number(number.to_string()),
        Item::Yes => CstInputValue::Bool(true),
        Item::Call(behind) => CstInputValue::String(format!("{call}{behind}")),
    };
    let keys = entry.keys.iter().map(|(key, value)| ((*key).to_owned(), item(value))).collect();
    let handler = CstInputValue::Object(keys);
    if layout == Layout::Flat {
        return handler;
    }
    let matcher =
        entry.matcher.map(|m| ("matcher".to_owned(), CstInputValue::String(m.to_owned())));
    let handlers = ("hooks".to_owned(), CstInputValue::Array(vec![handler]));
    CstInputValue::Object(matcher.into_iter().chain([handlers]).collect())
}

/// The same as a value, to compare.
fn value(input: &CstInputValue) -> Value {
    match input {
        CstInputValue::Null => Value::Null,
        CstInputValue::Bool(yes) => Value::Bool(*yes),
        CstInputValue::Number(number) => serde_json::from_str(number).unwrap_or_default(),
        CstInputValue::String(text) => Value::from(text.as_str()),
        CstInputValue::Array(items) => items.iter().map(value).collect(),
        CstInputValue::Object(keys) => {
            keys.iter().map(|(key, item)| (key.clone(), value(item))).collect()
        }
    }
}
