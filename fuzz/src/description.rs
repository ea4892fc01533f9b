//! A description's text is read or explained; one that is read is the same compiled.

use std::path::PathBuf;
use std::rc::Rc;

use bstr::{BStr, BString};
use embargo::command::{
    Catalogue, Compiled, Description, Program, compile, effects, parse, parse_with,
};
use embargo::config;
use embargo::policy::Layer;
use embargo::view::{Contents, View, encode, source_text};

use super::Costly;
use super::places::assert_well_placed;

/// Any bytes, as TOML.
pub fn description(bytes: &[u8], costly: Costly) {
    let source = source_text(&PathBuf::from("/c/shims/x.toml"), Layer::User, bytes.to_vec());
    match config::description(&source) {
        Err(faults) => {
            assert!(!faults.is_empty());
            assert_well_placed(&faults, &source);
        }
        Ok(description) => {
            assert!(!description.names.is_empty(), "a description of nothing");
            if costly.asks("compiled", bytes) {
                assert_same_compiled(&description);
            }
            if costly.asks("in a view", bytes) {
                assert_same_in_view(description);
            }
        }
    }
}

/// As the build script compiles it.
fn assert_same_compiled(description: &Description) {
    let mut alone = Catalogue::over(Compiled::default());
    alone.add(description.clone());
    let Ok((places, records)) = compile(&alone) else {
        // The one thing that it refuses: two names that cannot be told apart.
        return;
    };
    let compiled = Compiled::new(&places, &records);
    for (path, grammar) in &description.grammars {
        assert_eq!(compiled.grammar(path).as_ref(), Some(grammar), "{path}");
        assert_eq!(alone.grammar(path).as_ref(), Some(grammar), "{path}");
    }
    let canonical = &description.names[0];
    for path in description.grammars.keys() {
        let wanted = description.effects.get(path).cloned().unwrap_or_default();
        assert_eq!(compiled.effects(canonical, path), wanted, "{path}");
        assert_eq!(alone.effects(path), wanted, "{path}");
    }
    let bare = Description {
        grammars: Default::default(),
        effects: Default::default(),
        ..description.clone()
    };
    assert_eq!(compiled.facts(&description.names[0]), Some(bare));
    for name in description.names.iter().flat_map(|name| called(name)) {
        let found = compiled.program(name.as_bytes()).map(facts);
        assert_eq!(found, alone.program(BStr::new(&name)).map(facts), "{name}");
    }
    for argv in &argvs(description) {
        let canonical = alone.canonical(argv[0].as_ref());
        let read = parse_with(argv.clone(), canonical.as_deref(), |path| {
            compiled.grammar(path).map(Rc::new)
        });
        assert_eq!(read, parse(argv, &alone));
        let done = effects(&read, &alone.effects(read.path()), &[]);
        assert!(done.iter().all(|effect| !effect.to_string().is_empty()));
    }
}

/// As a user's own, over those that are compiled in.
fn assert_same_in_view(description: Description) {
    let argvs = argvs(&description);
    let mut catalogue = config::catalogue(&[]).0;
    catalogue.add(description);
    let contents = Contents { catalogue, ..Contents::default() };
    let bytes = encode(&contents);
    let view = View::open(&bytes).expect("what was just written is a view");
    for argv in &argvs {
        assert_eq!(view.words(argv), parse(argv, &contents.catalogue));
    }
    assert!(view.is_whole());
}

/// Everything but the name it was filed under: `x*` and `x1*` may both fit.
fn facts(program: Program) -> (String, bool, bool, bool, u32) {
    let Program { name: _, canonical, argv0_is_path, wraps, changes_directory, acts } = program;
    (canonical, argv0_is_path, wraps, changes_directory, acts)
}

/// Names that a description's name stands for.
fn called(name: &str) -> [String; 2] {
    let stem = name.strip_suffix('*').unwrap_or(name);
    [stem.to_owned(), format!("{stem}3.1")]
}

/// Its examples, and calls with its own subcommands and options.
fn argvs(description: &Description) -> Vec<Vec<BString>> {
    let [name, versioned] = called(&description.names[0]);
    let mut argvs: Vec<Vec<BString>> = Vec::new();
    for example in description.examples.iter().filter(|e| !e.argv.is_empty()).take(4) {
        argvs.push(example.argv.iter().map(|word| BString::from(word.as_str())).collect());
    }
    for (path, grammar) in description.grammars.iter().take(6) {
        let below = path.split(' ').skip(1);
        let options = grammar.options.lines().take(8).flat_map(|line| line.split(", ").next());
        let words = below.chain(options).chain(["x", "A=b", "-zf", "--no-such=1", "--", "-y"]);
        let words: Vec<BString> = words.map(BString::from).collect();
        for called in [&name, &versioned] {
            let program = std::iter::once(BString::from(called.as_str()));
            argvs.push(program.chain(words.iter().cloned()).collect());
        }
    }
    argvs
}
