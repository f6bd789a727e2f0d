#!/usr/bin/env bash
# Builds the screens a second time, from a copy in another folder, and compares every byte with web/dist: the
# embedded files can be reproduced from these sources.
set -euo pipefail
cd "$(dirname "$0")/.."

again=target/web-again
rm -rf "$again"
mkdir -p "$again/web"
cp -r locales "$again/locales"
find web -mindepth 1 -maxdepth 1 ! -name dist ! -name node_modules ! -name '*.tsbuildinfo' \
    -exec cp -r {} "$again/web/" \;
ln -s "$PWD/web/node_modules" "$again/web/node_modules"
if ! (cd "$again/web" && npm run --silent bundle) >"$again/log" 2>&1; then
    cat "$again/log" >&2
    exit 1
fi
if ! diff --brief --recursive web/dist "$again/web/dist" >&2; then
    echo "The second build gave different files: web/dist and $again/web/dist differ" >&2
    exit 1
fi
echo "the second build of the screens is identical: $(find web/dist -type f | wc -l) files"
rm -rf "$again"
