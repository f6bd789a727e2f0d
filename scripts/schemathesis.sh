#!/usr/bin/env bash
# Usage: schemathesis.sh PROGRAM [SECONDS]
# Fuzzes a fresh site of PROGRAM against its own OpenAPI document, with every check of Schemathesis:
# first anonymously, then with a session. Exit 1 when it finds a server error, an undocumented response
# or any other deviation from the document. Reports, and the log of the server: target/schemathesis.
set -euo pipefail
program=$(realpath "$1")
seconds=${2:-150}
here=$(realpath "$(dirname "$0")/..")
version=4.32.5

for tool in python3 curl; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; on Debian: apt-get install $tool" >&2; exit 1; }
done
python3 -c 'import ensurepip, venv' 2>/dev/null ||
    { echo "Python's venv is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }

tools="$here/target/schemathesis"
if [ "$("$tools/bin/schemathesis" --version 2>/dev/null | grep -o '[0-9.]*$')" != "$version" ]; then
    python3 -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
fi

home=$(mktemp -d "${TMPDIR:-/tmp}/account-fuzz.XXXXXX")
server=
stop() {
    trap - EXIT INT TERM
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" || true; fi
    if [ -e "$home/log" ]; then cp "$home/log" "$tools/server.log"; fi
    rm -rf "$home"
}
trap stop EXIT
trap 'exit 130' INT TERM

# No limits, so that no request is refused; a cheap hash, so that many requests fit. With https the
# session cookie has the documented name.
port=$((20000 + RANDOM % 10000))
site="http://127.0.0.1:$port/account"
(cd "$home" && exec env ACCOUNT_SERVER__LISTEN="127.0.0.1:$port" ACCOUNT_SERVER__PUBLIC_URL=https://localhost \
    ACCOUNT_LIMITS__ENABLED=false ACCOUNT_PASSWORD__MEMORY_KIB=64 ACCOUNT_PASSWORD__ITERATIONS=1 \
    "$program" serve >"$home/log" 2>&1) &
server=$!
deadline=$((SECONDS + 50 * $("$here/scripts/slowness.sh")))
until curl --silent --fail --output /dev/null "http://127.0.0.1:$port/readyz"; do
    if ! kill -0 "$server" 2>/dev/null || [ "$SECONDS" -gt "$deadline" ]; then
        cat "$home/log" >&2
        echo "schemathesis.sh: the server did not start" >&2
        exit 1
    fi
    sleep 0.2
done
"$program" openapi >"$home/openapi.json"

post() { curl --silent --show-error --fail --header 'Content-Type: application/json' "$@"; }
post "$site/account-api/register" --output /dev/null --data '{"email":"ada@example.org","username":"ada",
    "password":"Lemon-Tree-42","country":"us","zipcode":"90210",
    "birthday_day":5,"birthday_month":7,"birthday_year":1990}'
token=$(curl --silent --fail "$site/dev/mail/messages" | grep -o 'token=[A-Za-z0-9_-]*' | head -n 1)
curl --silent --fail --output /dev/null "$site/account-api/confirm-email?$token"
session=$(post "$site/account-api/login" --output /dev/null --dump-header - \
    --data '{"email":"ada@example.org","password":"Lemon-Tree-42"}' | grep -o '__Host-session=[^;]*' | cut -d= -f2)

# The document cannot express that a token must be valid or that a user is old enough: a request
# that it allows may be refused with 400, 403, 409 or 422.
cat >"$home/stranger.toml" <<'TOML'
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "422", "429", "503"]
TOML
{ cat "$home/stranger.toml"; printf '[auth.openapi.session]\napi_key = "%s"\n' "$session"; } >"$home/holder.toml"

fuzz() {
    local name=$1 time=$2
    shift 2
    # Every case is sent even after a failure; the summary comes last.
    (cd "$home" && "$tools/bin/schemathesis" --config-file "$home/$name.toml" run openapi.json \
        --url "$site/account-api" --checks all --phases examples,coverage,fuzzing --continue-on-failure \
        --suppress-health-check all --max-examples 50 --max-time "$time" --warnings off \
        --report junit --report-junit-path "$tools/$name.xml" "$@")
}

failed=0
# Without a role the support view is 404 for every method, so there is nothing to fuzz.
fuzz stranger "$((seconds * 4 / 5))" --exclude-path-regex '^/support/' || failed=1
# Signing out would end the session that the run needs.
fuzz holder "$((seconds / 5))" \
    --include-path-regex '^/(users/me|devices|change-email|change-password|devices/sign-out)$' || failed=1

if ! grep -q '/users/me","status":200' "$home/log"; then
    echo "schemathesis.sh: no user was signed in" >&2
    failed=1
fi
if grep -E '"level":"ERROR"|panicked' "$home/log" >&2; then
    echo "schemathesis.sh: the server logged errors" >&2
    failed=1
fi
kill -0 "$server" || failed=1
exit "$failed"
