//! One build of embargo with one policy, installed as a user would have it: a
//! HOME with the policy, a shim directory with a home record, first on PATH.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::call::{Call, Environment};
use crate::machine::Machine;
use crate::pairs::{Effort, Subject, WARM_UP};
use crate::policies::{Policy, REFUSED};

const REFUSED_STATUS: i32 = 86;

pub struct Stage {
    shims: PathBuf,
    state: PathBuf,
    environment: Environment,
    /// How long the call took that found no compiled policy.
    pub first_call: Duration,
}

impl Stage {
    pub fn new(machine: &Machine, binary: &Path, build: &str, policy: Policy) -> Result<Self> {
        let home = machine.directory(&format!("{}/{}", build.replace(' ', "-"), policy.name()))?;
        let config = home.join(".config/embargo");
        std::fs::create_dir_all(&config)?;
        std::fs::write(config.join("embargo.toml"), policy.text())?;
        let shims = home.join(".local/share/embargo/shims");
        let environment = machine.environment_with(vec![
            ("HOME".into(), home.clone().into()),
            ("PATH".into(), machine.path(&shims)?),
        ]);
        let mut stage = Self {
            shims,
            state: home.join(".local/state/embargo"),
            environment,
            first_call: Duration::ZERO,
        };
        stage
            .install(binary, &home.join(".cache"))
            .with_context(|| format!("cannot set up `{}`", policy.name()))?;
        Ok(stage)
    }

    /// The shim of `true`, which no rule speaks of.
    pub fn pass(&self, arguments: &[&str]) -> Call {
        let argv = ["true"].iter().chain(arguments);
        Call::new(self.shims.join("true"), argv, &self.environment)
    }

    /// Refusals that are each the first of a session, as most are.
    pub fn first_refusals(&self, effort: Effort) -> Subject {
        let calls = WARM_UP + effort.rounds() * effort.repeats();
        let call = |number| {
            let mut environment = self.environment.clone();
            environment.push(("EMBARGO_SESSION".into(), format!("bench-{number}").into()));
            Call::new(self.shims.join(REFUSED[0]), REFUSED, &environment)
        };
        Subject::each((0..calls).map(call).collect(), REFUSED_STATUS)
    }

    /// The same offence again and again.
    pub fn repeated_refusals(&self) -> Subject {
        let call = Call::new(self.shims.join(REFUSED[0]), REFUSED, &self.environment);
        Subject::each(vec![call], REFUSED_STATUS)
    }

    /// A harness's hook, and the message that it reads: a line of a hundred characters that no rule
    /// speaks of.
    pub fn hook(&self, binary: &Path) -> Result<(Call, PathBuf)> {
        const LINE: &str = "cd app && ls -la src/main tests/unit && sort -u n.txt | uniq -c | wc -l && printf '%s' ok >/dev/null";
        const { assert!(LINE.len() == 100) };
        let payload = format!(
            "{{\"session_id\":\"6f1c\",\"transcript_path\":\"/home/u/t.jsonl\",\"cwd\":\"/\",\"hook_event_name\":\"PreToolUse\",\"permission_mode\":\"default\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"{LINE}\",\"description\":\"x\"}},\"tool_use_id\":\"toolu_1\"}}"
        );
        let file = self.shims.join("payload");
        std::fs::write(&file, payload)?;
        let words = [OsStr::new("embargo"), OsStr::new("hook"), OsStr::new("claude-code")];
        Ok((Call::new(binary, words, &self.environment), file))
    }

    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Bytes of state, the evidence among them.
    pub fn state_size(&self) -> u64 {
        size(&self.state)
    }

    fn install(&mut self, binary: &Path, cache: &Path) -> Result<()> {
        let shims = self.shims.clone();
        let mut install = vec![OsStr::new("shim"), OsStr::new("install"), OsStr::new("--dir")];
        install.extend([shims.as_os_str(), OsStr::new("true"), OsStr::new(REFUSED[0])]);
        expect(&self.run(binary, &install)?, 0, "`embargo shim install`")?;

        // Installing looks at the policy, and so has compiled it.
        std::fs::remove_dir_all(cache).context("`embargo shim install` compiled no policy")?;
        let begin = Instant::now();
        expect(&self.run(&shims.join("true"), &[])?, 0, "the shim of `true`")?;
        self.first_call = begin.elapsed();

        // A policy that is not in force would pass everything, and quickly.
        let refused = self.run(&shims.join(REFUSED[0]), &[OsStr::new(REFUSED[1])])?;
        expect(&refused, REFUSED_STATUS, "the shim of `gradle`")
    }

    fn run(&self, program: &Path, arguments: &[&OsStr]) -> Result<Output> {
        Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .with_context(|| format!("cannot start `{}`", program.display()))
    }
}

fn size(path: &Path) -> u64 {
    let below = std::fs::read_dir(path).into_iter().flatten().flatten();
    let own = path.metadata().map_or(0, |m| if m.is_file() { m.len() } else { 0 });
    below.map(|entry| size(&entry.path())).sum::<u64>() + own
}

fn expect(output: &Output, status: i32, what: &str) -> Result<()> {
    if output.status.code() != Some(status) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{what} ended with {}, not {status}: {}", output.status, said.trim());
    }
    Ok(())
}
