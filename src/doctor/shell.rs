//! The shells that are asked, and the start-up file in which each lets PATH be changed.

/// A shell that embargo can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    /// Any other of the POSIX family.
    Sh,
}

/// How it is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Login,
    Interactive,
    /// Neither: no start-up file of the user's is read.
    Plain,
}

/// Where a line has to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartUp {
    pub shell: Shell,
    /// As a word of a shell, with `~` for the home directory.
    pub file: String,
}

impl Shell {
    /// By the name of its program.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bash" => Shell::Bash,
            "zsh" => Shell::Zsh,
            "fish" => Shell::Fish,
            "sh" | "dash" | "ash" | "ksh" | "mksh" => Shell::Sh,
            _ => return None,
        })
    }

    /// The name that `embargo env --shell` takes.
    pub fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Sh => "sh",
        }
    }
}

impl Start {
    /// Its options.
    pub fn option(self) -> &'static str {
        match self {
            Start::Login => "-lc",
            Start::Interactive => "-ic",
            Start::Plain => "-c",
        }
    }
}

/// The file that is read last and is the user's. `exists` says whether a file of the home is
/// there: bash reads the first of three.
pub fn start_up(shell: Shell, start: Start, exists: impl Fn(&str) -> bool) -> Option<StartUp> {
    let profile = || {
        let first = ["~/.bash_profile", "~/.bash_login"].into_iter().find(|file| exists(file));
        first.unwrap_or("~/.profile")
    };
    let file = match (shell, start) {
        (_, Start::Plain) => return None,
        (Shell::Fish, _) => "~/.config/fish/config.fish",
        (Shell::Bash, Start::Login) => profile(),
        (Shell::Bash, Start::Interactive) => "~/.bashrc",
        // Behind /etc/zprofile, where macOS runs path_helper.
        (Shell::Zsh, Start::Login) => "~/.zprofile",
        (Shell::Zsh, Start::Interactive) => "~/.zshrc",
        // Only the file that ENV names is read by an interactive one.
        (Shell::Sh, _) => "~/.profile",
    };
    Some(StartUp { shell, file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_is_read_last() {
        let rows: [(Shell, Start, &[&str], Option<&str>); 9] = [
            (Shell::Bash, Start::Interactive, &[], Some("~/.bashrc")),
            (Shell::Bash, Start::Login, &[], Some("~/.profile")),
            (Shell::Bash, Start::Login, &["~/.bash_login"], Some("~/.bash_login")),
            (
                Shell::Bash,
                Start::Login,
                &["~/.bash_login", "~/.bash_profile"],
                Some("~/.bash_profile"),
            ),
            (Shell::Zsh, Start::Interactive, &[], Some("~/.zshrc")),
            (Shell::Zsh, Start::Login, &[], Some("~/.zprofile")),
            (Shell::Fish, Start::Login, &[], Some("~/.config/fish/config.fish")),
            (Shell::Sh, Start::Login, &["~/.bash_profile"], Some("~/.profile")),
            (Shell::Sh, Start::Plain, &[], None),
        ];
        for (shell, start, there, file) in rows {
            let found = start_up(shell, start, |file| there.contains(&file));
            assert_eq!(found.map(|found| found.file).as_deref(), file, "{shell:?} {start:?}");
        }
    }
}
