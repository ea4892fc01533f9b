//! Standard streams: written without panics, never written where they were not
//! meant to go.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;

use super::raw::Ignored;

/// A closed pipe and a limit on file sizes make a write fail; they do not end us.
const OF_WRITES: [i32; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// The first write to standard output that failed, where somebody still wants it.
static UNWRITTEN: OnceLock<io::Error> = OnceLock::new();

/// Standard descriptors that are closed get /dev/null, so that no file of ours is
/// taken for one of them. Only for a process that will not become another.
pub fn fill_closed() {
    while let Ok(file) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        use std::os::fd::AsRawFd as _;
        if file.as_raw_fd() > 2 {
            break;
        }
        // Stays open until the process ends.
        std::mem::forget(file);
    }
}

/// Is one of the three standard descriptors closed?
pub fn is_any_closed() -> bool {
    rustix::fs::fstat(std::io::stdin()).is_err()
        || rustix::fs::fstat(std::io::stdout()).is_err()
        || rustix::fs::fstat(std::io::stderr()).is_err()
}

/// To standard error; whoever closed it does not want to know.
pub fn say(text: &str) {
    let _ignored = OF_WRITES.map(Ignored::new);
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// To standard output, for `embargo`'s own face; a closed pipe ends the output, not the process.
pub fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// The same for what is not all text: paths.
pub fn print_bytes(bytes: &[u8]) {
    let _ignored = OF_WRITES.map(Ignored::new);
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // The first is told; those after it say the same.
        let _ = UNWRITTEN.set(error);
    }
}

/// Is somebody there who types?
pub fn is_typed() -> bool {
    std::io::stdin().is_terminal()
}

/// All of standard input, which may have 4 MiB: more, or what cannot be read, is an error.
pub fn input() -> io::Result<Vec<u8>> {
    const LARGEST: usize = 4 << 20;
    let mut bytes = Vec::new();
    let mut piece = [0; 1 << 16];
    while let length @ 1.. =
        rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut piece))?
    {
        bytes.extend_from_slice(piece.get(..length).unwrap_or_default());
        if bytes.len() > LARGEST {
            return Err(io::Error::other("it has more than 4 MiB"));
        }
    }
    Ok(bytes)
}

/// All of a file, or of standard input for `-`.
pub fn whole(file: &std::path::Path) -> io::Result<Vec<u8>> {
    use io::Read as _;
    if file.as_os_str() != "-" {
        return std::fs::read(file);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How far something is, on a line that the next word takes back; for a person alone.
pub fn progress(text: &str) {
    if io::stderr().is_terminal() {
        say(&format!("\r\x1b[K{text}"));
    }
}

/// Why not all of standard output was written, as on a full disk.
pub fn unwritten() -> Option<&'static io::Error> {
    UNWRITTEN.get()
}

/// Is standard error thrown away while standard output is a terminal?
pub fn only_stdout_is_seen() -> bool {
    std::io::stdout().is_terminal() && stderr_is_null()
}

/// Does standard error go to /dev/null, or nowhere?
pub fn stderr_is_null() -> bool {
    let Ok(null) = rustix::fs::stat("/dev/null") else { return false };
    match rustix::fs::fstat(std::io::stderr()) {
        Ok(stat) => stat.st_rdev == null.st_rdev && stat.st_mode == null.st_mode,
        Err(_) => true,
    }
}
