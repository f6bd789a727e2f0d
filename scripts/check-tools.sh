#!/usr/bin/env bash
# Prints one line and fails if a tool that every build needs is missing or too old.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "$1" >&2
    exit 1
}
command -v cargo >/dev/null || fail "Rust is missing (cargo): install it from https://rustup.rs"
wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
found=$(rustc --version | cut -d ' ' -f 2)
printf '%s\n' "$wanted" "$found" | sort -C -V ||
    fail "Rust is too old ($found): version $wanted or newer is needed; with rustup: rustup update"
command -v cc >/dev/null || fail "A C compiler is missing (cc); on Debian: apt-get install build-essential"
command -v npm >/dev/null || fail "Node is missing (node, npm): install version 20.19 or newer from https://nodejs.org"
node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);
' || fail "Node is too old ($(node --version)): version 20.19 or newer is needed"
