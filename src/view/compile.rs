//! Policy text of every layer → the contents of a view, or the reason why the
//! policy cannot be trusted. Pure: files come in as bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::command::{self, Catalogue};
use crate::config::{self, Code, Diagnostic, Level, Pack, SourceText};
use crate::policy::{Exception, Form, Layer, Policy, Rule};

use super::Contents;

/// A policy file as it was read.
#[derive(Debug, Clone)]
pub struct Read {
    pub path: PathBuf,
    pub layer: Layer,
    /// Its bytes, or why they cannot be had.
    pub bytes: Result<Vec<u8>, String>,
}

/// Why nothing may be run: what exit 88 says, one fault a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distrust {
    pub message: String,
}

/// Compiles sources, highest authority first.
///
/// A fault in a system, user or named file distrusts everything. Of a broken
/// project file, or of what it extends, the text in `last_good` stays in force, and each call says so;
/// without one, the names that its text mentions are distrusted.
pub fn compile(
    sources: &[Read],
    descriptions: &[Read],
    last_good: &[(Vec<u8>, Vec<u8>)],
    read: impl Fn(&Path) -> Result<Vec<u8>, String>,
) -> Result<Contents, Distrust> {
    let described = descriptions.iter().map(readable).collect::<Result<Vec<_>, _>>()?;
    let (catalogue, faults) = config::catalogue(&described);
    distrust_if(&faults, |_| true)?;

    let mut contents = Contents { catalogue, ..Contents::default() };
    let mut texts = Vec::new();
    for source in sources {
        match &source.bytes {
            Err(why) if source.layer == Layer::Project => {
                let fault = format!("{}: {why}", source.path.display());
                fall_back(&source.path, &fault, b"", last_good, &mut texts, &mut contents);
            }
            _ => texts.push(readable(source)?),
        }
    }

    let kept = RefCell::new(BTreeMap::new());
    let read_and_keep = |path: &Path| {
        let bytes = read(path)?;
        kept.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    };
    let mut loaded = config::load(&texts, read_and_keep);
    if !loaded.broken.is_empty() {
        let is_broken = |text: &&SourceText| loaded.broken.contains(&text.path);
        if texts.iter().filter(is_broken).any(|text| text.layer != Layer::Project) {
            distrust_if(&loaded.diagnostics, |d| {
                !texts.iter().any(|t| t.path == d.path && t.layer == Layer::Project)
            })?;
        }
        let (bad, good): (Vec<_>, Vec<_>) =
            texts.into_iter().partition(|t| loaded.broken.contains(&t.path));
        texts = good;
        for source in &bad {
            let (fault, mentioned) = fault(source, &read);
            fall_back(&source.path, &fault, &mentioned, last_good, &mut texts, &mut contents);
        }
        // What they extend is read as it was when it was last good.
        let broken = loaded.broken;
        let read_last_good = |path: &Path| {
            let good = || text_of(path, last_good).map(<[u8]>::to_vec);
            let bytes = if broken.iter().any(|b| b == path) { good() } else { None };
            let bytes = bytes.map_or_else(|| read(path), Ok);
            let bytes = bytes.or_else(|why| good().ok_or(why))?;
            kept.borrow_mut().insert(path.to_owned(), bytes.clone());
            Ok(bytes)
        };
        loaded = config::load(&texts, read_last_good);
        // What was good once, for this build, is good still; if not, nothing can be trusted.
        distrust_if(&loaded.diagnostics, |d| d.level == Level::Error)?;
    }
    let of_projects = texts.iter().filter(|t| t.layer == Layer::Project);
    let of_projects = of_projects.map(|t| (t.path.clone(), t.bytes.clone()));
    let key = |path: PathBuf| <[u8]>::from_path(&path).unwrap_or_default().to_vec();
    contents.texts =
        of_projects.chain(kept.into_inner()).map(|(path, bytes)| (key(path), bytes)).collect();
    contents.policy = loaded.policy;
    spell_out(&mut contents.policy, &contents.catalogue);
    Ok(contents)
}

/// What is wrong with a project's file, or with what it extends, and all that these say.
fn fault(
    source: &SourceText,
    read: impl Fn(&Path) -> Result<Vec<u8>, String>,
) -> (String, Vec<u8>) {
    let alone = config::load(std::slice::from_ref(source), &read);
    let errors = alone.diagnostics.iter().filter(|d| d.level == Level::Error);
    let first = errors.clone().find(|d| d.code != Code::BrokenExtends).or(errors.clone().next());
    let fault = first.map_or_else(String::new, |d| {
        format!("{}:{}:{}: {}", d.shown, d.line, d.column, d.message)
    });
    let mut mentioned = source.bytes.clone();
    let mut more = alone.more_sources;
    // What cannot be read as TOML names what it extends all the same.
    let directory = source.path.parent().unwrap_or(Path::new(""));
    for quoted in source.bytes.split(|b| matches!(b, b'"' | b'\'' | b'\n')) {
        let Ok(name) = quoted.to_str() else { continue };
        match Pack::named(name) {
            Ok(pack) => mentioned.extend(pack.programs().join(" ").bytes().chain(*b" ")),
            Err(_) if name.ends_with(".toml") || name.ends_with(".json") => {
                more.push(directory.join(name));
            }
            Err(_) => {}
        }
    }
    for bytes in more.iter().filter_map(|path| read(path).ok()) {
        mentioned.push(b' ');
        mentioned.extend(bytes);
    }
    (fault, mentioned)
}

fn text_of<'t>(path: &Path, texts: &'t [(Vec<u8>, Vec<u8>)]) -> Option<&'t [u8]> {
    let key = <[u8]>::from_path(path).unwrap_or_default();
    texts.iter().find(|(p, _)| p == key).map(|(_, text)| text.as_slice())
}

/// A rule on `docker container run` or `git stage` speaks of `docker run` and `git add`,
/// as calls are read: aliases of subcommands give way to their names.
pub fn spell_out(policy: &mut Policy, catalogue: &Catalogue) {
    policy.rules.iter_mut().for_each(|rule| spell_out_rule(rule, catalogue));
}

fn spell_out_rule(rule: &mut Rule, catalogue: &Catalogue) {
    let mut programs = Vec::new();
    for form in &mut rule.subject.forms {
        if let Form::Command { program, words, .. } = form {
            *words = named(program, words, catalogue);
            if !programs.contains(program) {
                programs.push(program.clone());
            }
        }
    }
    for form in &mut rule.subject.fed_by {
        if let Form::Command { program, words, .. } = form {
            *words = named(program, words, catalogue);
        }
    }
    // Of several programs each may know the words by another name.
    let spelled = |exception: &Exception| match exception {
        Exception::Words(words) if !programs.is_empty() => {
            let mut all: Vec<Exception> = Vec::new();
            for words in programs.iter().map(|program| named(program, words, catalogue)) {
                let exception = Exception::Words(words);
                if !all.contains(&exception) {
                    all.push(exception);
                }
            }
            all
        }
        other => vec![other.clone()],
    };
    rule.unless = rule.unless.iter().flat_map(spelled).collect();
}

fn named(program: &str, words: &[String], catalogue: &Catalogue) -> Vec<String> {
    let argv = std::iter::once(program).chain(words.iter().map(String::as_str));
    let read = command::parse(&argv.map(BString::from).collect::<Vec<_>>(), catalogue);
    let found: Vec<String> = read.words().iter().map(|word| word.text.to_string()).collect();
    // What a wrapper takes for its own command stays as it was written.
    let plain = read.wrapped().is_empty() && read.flags().is_empty() && !found.is_empty();
    if plain { found } else { words.to_vec() }
}

/// A policy file as messages show it: a project's by name, any other by its whole path.
pub fn source_text(path: &Path, layer: Layer, bytes: Vec<u8>) -> SourceText {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = if layer == Layer::Project { name } else { path.display().to_string() };
    SourceText { path: path.to_owned(), shown, layer, bytes }
}

/// A text that must be there: nothing counts without it.
fn readable(source: &Read) -> Result<SourceText, Distrust> {
    let text = |bytes: &Vec<u8>| source_text(&source.path, source.layer, bytes.clone());
    source.bytes.as_ref().map(text).map_err(|why| Distrust {
        message: format!(
            "the policy file {} cannot be read: {why}\nA person must make it readable, or remove what names it.",
            source.path.display()
        ),
    })
}

fn fall_back(
    path: &Path,
    fault: &str,
    bytes: &[u8],
    last_good: &[(Vec<u8>, Vec<u8>)],
    texts: &mut Vec<SourceText>,
    contents: &mut Contents,
) {
    match text_of(path, last_good) {
        Some(good) => {
            texts.push(source_text(path, Layer::Project, good.to_vec()));
            contents
                .notices
                .push(format!("{fault}; the last version that was right stays in force"));
        }
        None => {
            contents
                .notices
                .push(format!("{fault}; nothing of this file is in force until it is mended"));
            let names = bytes.split(|b| !(b.is_ascii_alphanumeric() || b"._+-".contains(b)));
            let names = names.filter_map(|n| n.to_str().ok()).filter(|n| !n.is_empty());
            let distrusted: BTreeMap<String, String> =
                names.map(|n| (n.to_owned(), fault.to_owned())).collect();
            contents.distrusted.extend(distrusted);
        }
    }
}

fn distrust_if(
    diagnostics: &[Diagnostic],
    concerns: impl Fn(&Diagnostic) -> bool,
) -> Result<(), Distrust> {
    let faults: Vec<String> = diagnostics
        .iter()
        .filter(|d| d.level == Level::Error && concerns(d))
        .map(|d| format!("{}:{}:{}: {}", d.shown, d.line, d.column, d.message))
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(Distrust { message: faults.join("\n") }) }
}
