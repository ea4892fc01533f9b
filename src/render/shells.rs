//! Shell text that puts a directory first on PATH, once. A directory may hold any
//! byte but a colon and NUL, so the text is bytes.
//!
//! It works on PATH as it is when the text is run, so that a saved copy in a nested
//! shell does no harm. Directories of runs (`.embargo-run`) stay in front: a shim
//! behind them knows less than they do.

use bstr::{BStr, ByteSlice};

/// For sh, bash, zsh and their kin: no program is started, `set -eu` is survived.
pub fn posix(directory: &BStr) -> Vec<u8> {
    let mut text = b"_embargo_dir='".to_vec();
    text.extend(directory.replace("'", "'\\''"));
    text.extend_from_slice(
        b"'
_embargo_rest=\":${PATH:-/usr/local/bin:/usr/bin:/bin}:\"
_embargo_front=
while :; do
  case $_embargo_rest in
    *\":$_embargo_dir:\"*)
      _embargo_rest=${_embargo_rest%%\":$_embargo_dir:\"*}:${_embargo_rest#*\":$_embargo_dir:\"} ;;
    *) break ;;
  esac
done
_embargo_rest=${_embargo_rest#:}
while [ -f \"${_embargo_rest%%:*}/.embargo-run\" ]; do
  _embargo_front=$_embargo_front${_embargo_rest%%:*}:
  _embargo_rest=${_embargo_rest#*:}
done
_embargo_rest=${_embargo_rest%:}
PATH=$_embargo_front$_embargo_dir${_embargo_rest:+:$_embargo_rest}
export PATH
unset _embargo_dir _embargo_rest _embargo_front
",
    );
    text
}

/// For fish.
pub fn fish(directory: &BStr) -> Vec<u8> {
    let mut text = b"set -l _embargo_dir '".to_vec();
    text.extend(directory.replace("\\", "\\\\").replace("'", "\\'"));
    text.extend_from_slice(
        b"'
set -l _embargo_front
set -l _embargo_rest
for _embargo_entry in $PATH
    if test \"$_embargo_entry\" = \"$_embargo_dir\"
        continue
    else if test (count $_embargo_rest) -eq 0; and test -f \"$_embargo_entry/.embargo-run\"
        set -a _embargo_front $_embargo_entry
    else
        set -a _embargo_rest $_embargo_entry
    end
end
set -gx PATH $_embargo_front $_embargo_dir $_embargo_rest
",
    );
    text
}
