#!/usr/bin/env bash
# The demo of a program together with its sample application, until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."
data=$(mktemp -d)

start_sample_app() {
    local settings=$data/sample-app.env
    until [ -s "$settings" ] && node --env-file="$settings" -e '
        fetch(`${process.env.ISSUER}/.well-known/openid-configuration`).catch(() => process.exit(1));
    '; do
        sleep 0.2
    done
    exec node --env-file="$settings" examples/sample-app/main.mjs
}
start_sample_app &
trap 'kill $! 2>/dev/null || true; rm -rf "$data"' EXIT
"$1" demo --data "$data"
