# The recipes of this repository; `just` alone lists them. CI runs `.ci/run`,
# which needs no just.

arch := arch()
musl := arch + "-unknown-linux-musl"
target := env("CARGO_TARGET_DIR", "target")

_list:
    @just --list

# Every test
test:
    cargo test --locked

# Format and clippy, as CI judges them
lint:
    cargo fmt --check
    cargo clippy --locked --all-targets -- --deny warnings

# What a shim costs: the whole-process table (arguments go to the bench, e.g. --quick)
bench *ARGS: dist
    cargo bench --locked --bench spawn -- {{ ARGS }}

# The static release build, checked
dist: musl-target
    cargo musl --target {{ musl }}
    scripts/check-dist {{ target }}/{{ musl }}/release/embargo

# Fetch or build the musl standard library where it is missing
musl-target:
    {{ if arch == "x86_64" { "scripts/musl-target" } else { "rustup target add " + musl } }}

# The documentation, with warnings denied
doc:
    RUSTDOCFLAGS="--deny warnings" cargo doc --locked --no-deps

# What CI runs
ci:
    .ci/run
