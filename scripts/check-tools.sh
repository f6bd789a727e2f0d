#!/usr/bin/env bash
# Prints one line for each missing tool that every build needs.
set -euo pipefail

fail() {
    echo "$1" >&2
    exit 1
}
command -v cargo >/dev/null || fail "Rust is missing (cargo): install it from https://rustup.rs"
command -v cc >/dev/null || fail "A C compiler is missing (cc); on Debian: apt-get install build-essential"
command -v npm >/dev/null || fail "Node is missing (node, npm): install version 20.19 or newer from https://nodejs.org"
node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);
' || fail "Node is too old ($(node --version)): version 20.19 or newer is needed"
