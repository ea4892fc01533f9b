//! The Dockerfiles, the devcontainer and the CI jobs of the documentation, done for real in a root
//! file system of this machine's own programs, entered by chroot below mounts that nobody else sees.
//! That needs root; without it the suite says so.

#[path = "containers/page.rs"]
mod page;
#[path = "containers/rootfs.rs"]
mod rootfs;

use std::os::unix::fs::MetadataExt as _;

use page::{block, ci_steps, step, steps};
use rootfs::{Answer, Rootfs, can_enter};

/// The two images of the documentation.
const IMAGES: [&str; 2] = ["README.md", "docs/containers.md"];

const PAGE: &str = "docs/containers.md";

/// The policy that the image is built with.
const POLICY: &str = r#"
[[embargo]]
id = "no-gradle"
command = "gradle"
reason = "raw gradle does not have the libraries our application needs"
refuses = ["gradle build"]
permits = ["./gradlew build"]

[[embargo]]
id = "no-force-push"
command = "git push"
flags = ["--force"]
reason = "it rewrites what others have pulled already"
refuses = ["git push --force"]
"#;

const SENTENCE: &str = "I must not use `gradle` because raw gradle does not have the libraries";
const BARE: &str = "/usr/bin:/bin";

/// An image after the last line of its Dockerfile.
struct Image {
    root: Rootfs,
    agent: u32,
    /// What `ENV` has set.
    env: Vec<(String, String)>,
}

fn built(page: &str) -> Image {
    let root = Rootfs::new(&["useradd"]);
    root.stub("gradle").stub("git");
    let mut user = 0;
    let mut env = vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())];
    let text = block(page, "dockerfile");
    for (word, rest) in steps(&text) {
        match word {
            "COPY" if rest == "--from=build /embargo /usr/local/bin/embargo" => root.add_embargo(),
            "COPY" => {
                let place = rest.strip_prefix("embargo.toml ").expect("the policy");
                root.write(place, POLICY);
            }
            "RUN" => {
                let found = root.enter(user, &env, &["/bin/sh", "-c", rest]);
                assert_eq!(found.status, 0, "{page}: RUN {rest}\n{found:#?}");
            }
            "USER" => user = root.user(rest),
            "ENV" => {
                let (name, value) = rest.split_once('=').expect("NAME=VALUE");
                let before = env.iter().position(|(known, _)| known == name);
                let before = before.map(|at| env.remove(at).1).unwrap_or_default();
                env.push((name.to_owned(), value.replace("$PATH", &before)));
            }
            _ => panic!("{page}: no test knows {word} {rest}"),
        }
    }
    assert_eq!(user, root.user("agent"), "{page}: the agent is no root");
    env.push(("HOME".to_owned(), "/home/agent".to_owned()));
    env.push(("SHELL".to_owned(), "/bin/bash".to_owned()));
    Image { root, agent: user, env }
}

impl Image {
    /// As the agent, with some variables set otherwise; without a value, not set.
    fn run(&self, other: &[(&str, &str)], words: &[&str]) -> Answer {
        let is_other = |name: &str| other.iter().any(|(known, _)| *known == name);
        let mut env: Vec<_> =
            self.env.iter().filter(|(name, _)| !is_other(name)).cloned().collect();
        let given = other.iter().filter(|(_, value)| !value.is_empty());
        env.extend(given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.root.enter(self.agent, &env, words)
    }
}

#[test]
fn every_shell_of_the_image_meets_the_shims() {
    if !can_enter() {
        return;
    }
    for page in IMAGES {
        let image = built(page);
        image.root.script("/home/agent/build", "#!/bin/sh\ngradle build\n");
        image.root.script("/home/agent/build-bash", "#!/bin/bash\ngradle build\n");
        let is_long = page == PAGE;
        let reset = "PATH=/usr/bin:/bin; bash -c 'gradle build'";
        let long = [("BASH_ENV", "")];
        type Row<'a> = (&'a str, bool, &'a [(&'a str, &'a str)], &'a [&'a str]);
        let rows: [Row; 12] = [
            ("sh -c", true, &[], &["sh", "-c", "gradle build"]),
            ("bash -c", true, &long, &["bash", "-c", "gradle build"]),
            ("a script", true, &[], &["/home/agent/build"]),
            ("a bash script", true, &long, &["/home/agent/build-bash"]),
            ("login sh", true, &[("PATH", BARE)], &["sh", "-lc", "gradle build"]),
            ("login bash", true, &[("PATH", BARE)], &["bash", "-lc", "gradle build"]),
            ("interactive bash", true, &long, &["bash", "-ic", "gradle build"]),
            (
                "the same, PATH reset",
                is_long && rootfs::has_bashrc(),
                &[("PATH", BARE), long[0]],
                &["bash", "-ic", "gradle build"],
            ),
            ("bash, PATH reset above", is_long, &[], &["sh", "-c", reset]),
            ("without HOME", true, &[("HOME", "")], &["sh", "-c", "gradle build"]),
            ("HOME elsewhere", true, &[("HOME", "/tmp")], &["sh", "-c", "gradle build"]),
            (
                "nothing but PATH",
                true,
                &[("HOME", ""), ("SHELL", ""), long[0]],
                &["sh", "-c", "gradle build"],
            ),
        ];
        for (what, holds, env, words) in rows {
            if !holds {
                eprintln!("{page}: {what} is not promised here");
                continue;
            }
            let found = image.run(env, words);
            assert_eq!((found.status, &*found.stdout), (86, ""), "{page}: {what}\n{found:#?}");
            assert!(found.stderr.contains(SENTENCE), "{page}: {what}\n{found:#?}");
            assert!(found.stderr.contains("/etc/embargo/embargo.toml:2"), "{page}: {found:#?}");
        }
        let found = image.run(&[], &["sh", "-c", "git status"]);
        let found = (found.status, &*found.stdout, &*found.stderr);
        assert_eq!(found, (0, "git ran: status\n", ""), "{page}");
        if is_long {
            let found = image.run(&[], &["sh", "-c", "git push --force"]);
            assert_eq!(found.status, 86, "{found:#?}");
        }

        // The record says where the agent's log is, whatever HOME was.
        let found = image.run(&[], &["embargo", "log"]);
        let refused = found.stdout.lines().filter(|line| line.ends_with("gradle build")).count();
        assert!(found.status == 0 && refused >= 9, "{page}: {found:#?}");
        let log = image.root.path("/home/agent/.local/state/embargo/evidence.db");
        let log = log.metadata().expect("a log");
        assert_eq!((log.uid(), log.mode() & 0o777), (image.agent, 0o600), "{page}");
    }
}

#[test]
fn the_agent_cannot_change_what_is_roots() {
    if !can_enter() {
        return;
    }
    for page in IMAGES {
        let image = built(page);
        let policy = "/etc/embargo/embargo.toml";
        let mut attempts = vec![
            format!(": >> {policy}"),
            format!("rm -f {policy}"),
            format!("mv {policy} /tmp/"),
            ": >> /usr/local/bin/embargo".to_owned(),
            "rm -f /etc/profile.d/embargo.sh".to_owned(),
        ];
        if page == PAGE {
            attempts.push("rm -f /opt/embargo/shims/gradle".to_owned());
            attempts.push(": >> /opt/embargo/shims/.embargo-home".to_owned());
            attempts.push(": > /opt/embargo/shims/mine".to_owned());
            attempts.push("embargo shim uninstall --all --dir /opt/embargo/shims".to_owned());
        }
        for attempt in &attempts {
            let found = image.run(
                &[("PATH", BARE), ("BASH_ENV", "")],
                &["/bin/sh", "-c", &format!("PATH=/usr/local/bin:$PATH; {attempt}")],
            );
            assert_ne!(found.status, 0, "{page}: {attempt}\n{found:#?}");
            let found = image.run(&[], &["sh", "-c", "gradle build"]);
            assert_eq!(found.status, 86, "{page}: after {attempt}\n{found:#?}");
        }
        assert_eq!(image.root.read(policy), POLICY, "{page}");
    }
}

#[test]
fn the_devcontainer_meets_the_shims() {
    if !can_enter() {
        return;
    }
    let image = built(PAGE);
    let text = block(PAGE, "json devcontainer");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(file["remoteUser"], "agent");
    let inner = &image.env.iter().find(|(name, _)| name == "PATH").expect("PATH").1;
    // A feature has put its own directory in front.
    let inner = format!("/usr/bin:{inner}");
    let path = file["remoteEnv"]["PATH"].as_str().expect("a PATH");
    let path = path.replace("${containerEnv:PATH}", &inner);
    let found = image.run(&[("PATH", &path)], &["sh", "-c", "gradle build"]);
    assert_eq!(found.status, 86, "{found:#?}");
    let command = file["postCreateCommand"].as_str().expect("a command");
    let found = image.run(&[("PATH", &path)], &["/bin/sh", "-c", command]);
    assert_eq!(found.status, 0, "{found:#?}");
    // And it fails where they are not met.
    let found = image.run(&[("PATH", &inner)], &["/bin/sh", "-c", command]);
    assert_eq!(found.status, 1, "{found:#?}");
}

/// A machine of CI: embargo is installed by cargo, and the project is checked out.
fn ci() -> Image {
    let root = Rootfs::new(&[]);
    root.stub("gradle").stub("git").add_embargo();
    root.write("/home/agent/app/embargo.toml", POLICY);
    root.write(
        "/etc/passwd",
        "root:x:0:0::/root:/bin/bash\nagent:x:1000:1000::/home/agent:/bin/bash\n",
    );
    root.give("/home/agent", 1000);
    let env =
        [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/home/agent"), ("SHELL", "/bin/bash")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Image { root, agent: 1000, env }
}

fn is_cargo_install(line: &str) -> bool {
    let is_it = line.starts_with("cargo install --locked --git ");
    assert!(!is_it || line.ends_with(concat!(" ", env!("CARGO_PKG_NAME"))), "{line}");
    is_it
}

#[test]
fn the_jobs_of_ci_end_with_shims_that_are_met() {
    if !can_enter() {
        return;
    }
    // Each step of GitHub's is a shell of its own, with what was added to PATH before it.
    let image = ci();
    let bare = image.env[0].1.clone();
    let mut done = 0;
    let path = || {
        let added = image.root.read_or_empty("/tmp/github-path");
        added.lines().fold(bare.clone(), |path, line| format!("{line}:{path}"))
    };
    for script in step(&block(PAGE, "yaml github")) {
        if is_cargo_install(&script) {
            continue;
        }
        let script = format!("cd ~/app\n{script}");
        let env = [("PATH", &*path()), ("GITHUB_PATH", "/tmp/github-path")];
        let found = image.run(&env, &["/bin/bash", "-e", "-c", &script]);
        assert_eq!(found.status, 0, "{script}\n{found:#?}");
        done += 1;
    }
    assert_eq!(done, 4, "steps that run embargo");
    for shell in [["/bin/bash", "-c"], ["/bin/bash", "-lc"], ["/bin/sh", "-c"], ["/bin/sh", "-lc"]]
    {
        let words = [shell[0], shell[1], "cd ~/app && gradle build"];
        let found = image.run(&[("PATH", &path())], &words);
        assert_eq!(found.status, 86, "{shell:?}\n{found:#?}");
    }

    // All of GitLab's are one shell.
    let image = ci();
    let lines = ci_steps(&block(PAGE, "yaml gitlab"));
    let lines: Vec<_> = lines.into_iter().filter(|line| !is_cargo_install(line)).collect();
    assert_eq!(lines.len(), 6, "{lines:#?}");
    let script = format!("set -e\ncd ~/app\n{}\nset +e\ngradle build\n", lines.join("\n"));
    let found = image.run(&[], &["/bin/sh", "-c", &script]);
    assert!(found.status == 86 && found.stderr.contains(SENTENCE), "{found:#?}");
}
