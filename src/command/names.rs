//! Names that are our own: under them the binary is the command line, and no shim.

/// `embargo`, or a versioned copy of it; a link to one of these is a shim of no command.
pub fn is_own_name(name: &[u8]) -> bool {
    name == b"embargo" || name.starts_with(b"embargo-")
}

/// May a shim be called so? No path, nothing hidden, and no name of ours.
pub fn is_shim_name(name: &[u8]) -> bool {
    !(name.is_empty() || name.contains(&b'/') || name.starts_with(b".") || is_own_name(name))
}
