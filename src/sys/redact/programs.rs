//! The options by which particular programs take a password.

/// Where the secret is in an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Secret,
    /// After this separator.
    Login(char),
}

/// May the value be the next word?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Attached,
    Either,
}

struct Taking {
    programs: &'static [&'static str],
    options: &'static [&'static str],
    how: How,
    place: Place,
    /// Only after this word: `docker login -p`, not `docker run -p`.
    after: Option<&'static str>,
}

const LOGINS: &[&str] = &[
    "docker", "podman", "nerdctl", "buildah", "skopeo", "oras", "helm", "crane", "az", "oc", "cf",
    "heroku", "regctl",
];

const LDAP: &[&str] =
    &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldappasswd"];

const MYSQL: &[&str] = &[
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mysqlimport",
    "mysqlshow",
    "mysqlcheck",
    "mysqlslap",
    "mysqlbinlog",
    "mysqlpump",
    "mysqlsh",
    "mariadb",
    "mariadb-dump",
    "mariadb-admin",
    "mycli",
];

const MONGO: &[&str] =
    &["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"];

const SETTING: &[&str] = &["set", "config", "configure"];

const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "su"];

/// What `sshpass` runs: their `-p` is a port.
const OTHERS: &[&str] = &["ssh", "scp", "sftp", "rsync"];

const fn secret(
    programs: &'static [&'static str],
    options: &'static [&'static str],
    place: Place,
) -> Taking {
    Taking { programs, options, how: How::Secret, place, after: None }
}

const fn login(
    programs: &'static [&'static str],
    options: &'static [&'static str],
    separator: char,
) -> Taking {
    let how = How::Login(separator);
    Taking { programs, options, how, place: Place::Either, after: None }
}

const TABLE: [Taking; 15] = [
    secret(MYSQL, &["-p"], Place::Attached),
    secret(&["sshpass"], &["-p"], Place::Either),
    secret(MONGO, &["-p"], Place::Either),
    secret(&["redis-cli"], &["-a"], Place::Either),
    secret(LDAP, &["-w"], Place::Either),
    secret(&["zip", "unzip", "zipcloak"], &["-P"], Place::Either),
    secret(&["7z", "7za", "7zz", "rar", "unrar"], &["-p"], Place::Attached),
    secret(&["sqlcmd", "bcp"], &["-P"], Place::Either),
    secret(&["openssl"], &["-k"], Place::Either),
    Taking { after: Some("login"), ..secret(LOGINS, &["-p"], Place::Either) },
    Taking { after: Some("secret"), ..secret(&["gh"], &["-b", "--body"], Place::Either) },
    login(&["curl"], &["-u", "-U", "--user", "--proxy-user"], ':'),
    login(&["curl"], &["-b", "--cookie"], '='),
    login(&["http", "https", "xh", "xhs"], &["-a"], ':'),
    login(&["smbclient", "rpcclient", "net", "smbget"], &["-U"], '%'),
];

/// The programs named so far on a command line. `sudo mysql`, `docker exec db mysql`:
/// the one named last is whose options follow.
#[derive(Default)]
pub(super) struct Programs<'w> {
    program: &'w str,
    seen: Vec<&'w str>,
}

impl<'w> Programs<'w> {
    /// Another word has gone by.
    pub fn see(&mut self, word: &'w str) {
        if word.starts_with('-') {
            return;
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        if SHELLS.contains(&name)
            || OTHERS.contains(&name)
            || TABLE.iter().any(|row| row.programs.contains(&name))
        {
            self.program = name;
        }
        let is_verb = SETTING.contains(&word) || TABLE.iter().any(|row| row.after == Some(word));
        if is_verb && !self.seen.contains(&word) {
            self.seen.push(word);
        }
    }

    /// `git config NAME VALUE`: a name may be a word of its own.
    pub fn is_setting(&self) -> bool {
        SETTING.iter().any(|verb| self.seen.contains(verb))
    }

    /// Does `--user` name a user and a group?
    pub fn is_of_containers(&self) -> bool {
        LOGINS.contains(&self.program)
    }

    /// Is the word after this one shell text?
    pub fn takes_text(&self, word: &str) -> bool {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        SHELLS.contains(&self.program) && is_short && word.ends_with('c')
    }

    /// Does this option take a secret, and the part of the word that is its value?
    /// An empty value is the next word.
    pub fn option<'o>(&self, word: &'o str) -> Option<(How, &'o str)> {
        if !word.starts_with('-') {
            return None;
        }
        let rows = TABLE.iter().filter(|row| row.programs.contains(&self.program));
        rows.filter(|row| row.after.is_none_or(|after| self.seen.contains(&after)))
            .find_map(|row| Some((row.how, row.value(word)?)))
    }
}

impl Taking {
    fn value<'o>(&self, word: &'o str) -> Option<&'o str> {
        let value = self.options.iter().find_map(|option| {
            if option.starts_with("--") {
                let rest = word.strip_prefix(option)?;
                return if rest.is_empty() { Some(rest) } else { rest.strip_prefix('=') };
            }
            // `-su user:password`: a bundle may end in it.
            let bundle = word.strip_suffix(&option[1..]).and_then(|b| b.strip_prefix('-'));
            let is_bundle = bundle.is_some_and(|b| b.bytes().all(|c| c.is_ascii_alphabetic()));
            if is_bundle && self.how != How::Secret {
                return Some("");
            }
            word.strip_prefix(option)
        })?;
        (self.place == Place::Either || !value.is_empty()).then_some(value)
    }
}
