#!/usr/bin/env bash
# Types the commands of docs/operating.md and docs/operating/ in a temporary folder and fails on an unexpected exit code.
# Nothing outside of the folder is changed. Usage: scripts/with-postgres.sh scripts/check-operating.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
manual=("$PWD"/docs/operating.md "$PWD"/docs/operating/*.md)
root=$(mktemp --directory)
trap '[ ! -e "$root/pid" ] || kill -KILL "$(cat "$root/pid")"; rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,copy,etc/systemd/system,var/lib,mnt/vault,usr/local/bin}
ln -s "$(realpath "$1")" "$root/copy/account"
ln -s "$PWD/deploy" "$root/copy/deploy"
export PATH="$root/bin:$root/usr/local/bin:$PATH" TZ=UTC
site=127.0.0.1:$((20000 + RANDOM % 10000))
export ACCOUNT_SERVER__LISTEN=$site
psql --quiet "$ACCOUNT_TEST_POSTGRES_URL" --command 'CREATE DATABASE account'
database=$(node -p 'const url = new URL(process.argv[1]); url.pathname = "/account"; url.href' "$ACCOUNT_TEST_POSTGRES_URL")

# The paths and names of the manual, replaced by those here.
here() {
    sed -E -e "s#(^|[^A-Za-z0-9.])/(etc/account|etc/systemd|var/lib/account|var/backups|mnt/vault|usr/local/bin)#\1$root/\2#g" \
        -e "s#postgres://…/account#$database#g" -e "s#2026-11-20#$(date +%F)#g" -e "s#127\.0\.0\.1:8080#$site#g"
}

# The settings that the manual shows after a sentence.
settings() {
    awk -v sentence="$1" '$0 == sentence { found = 1 } found && /^```/ { blocks++; next } found && blocks == 1' "${manual[@]}" | here
}

type_command() {
    echo "\$ $1"
    eval "$(here <<<"$1")" </dev/null || {
        echo "exit code $?: $1" >&2
        tail -n 3 "$root/log" >&2
        exit 1
    }
}

# Every command as "heading N: command", where N counts the blocks of commands below a heading.
awk '/^```/ { fenced = !fenced } fenced { next }
    /^#+ / { sub(/^#+ /, ""); heading = $0; block = 0 }
    /^    (   )?([a-z]|[A-Z_]+=)/ { if (!inside) block++; inside = 1; sub(/^ +/, ""); sub(/ +# .*/, ""); print heading " " block ": " $0; next }
    { inside = 0 }' "${manual[@]}" >"$root/commands"

# Types one block.
block() {
    local commands command
    commands=$(grep -F "$1: " "$root/commands") || { echo "the manual has no block '$1'" >&2; exit 1; }
    echo "$1" >>"$root/typed"
    while IFS= read -r command; do type_command "${command#"$1: "}"; done <<<"$commands"
}

# One user has all rights here, and a process instead of a service.
cat >"$root/bin/sudo" <<'STUB'
#!/bin/bash
shift 2
[ "$1" = -s ] || exec "$@"
STUB
cat >"$root/bin/install" <<'STUB'
#!/bin/bash
options=()
while [ $# -gt 0 ]; do
    case $1 in -o | -g) shift ;; *) options+=("$1") ;; esac
    shift
done
exec /usr/bin/install "${options[@]}"
STUB
ln -s /bin/true "$root/bin/useradd"
cat >"$root/bin/systemctl" <<STUB
#!/bin/bash
[ "\${!#}" = account ] || exit 0
cd $root/var/lib/account
if [ "\$1" != start ] && [ "\$1" != enable ]; then
    kill -TERM "\$(cat $root/pid)" || exit 1
    while kill -0 "\$(cat $root/pid)" 2>/dev/null; do sleep 0.1; done
    rm $root/pid
fi
[ "\$1" != stop ] || exit 0
setsid account serve --config $root/etc/account/account.toml >>$root/log 2>&1 </dev/null &
echo \$! >$root/pid
curl --silent --fail --retry $((60 * ACCOUNT_TEST_SLOW)) --retry-delay 1 --retry-all-errors --output /dev/null http://$site/readyz
STUB
chmod +x "$root"/bin/*
settings 'The minimal settings of a public site:' >"$root/copy/account.toml"

cd "$root/copy"
for name in 'Install 1' 'Install 2' 'Minimal settings 1' 'Install 3' 'Install 4' 'Install 5' 'Install 6'; do block "$name"; done
for name in ada agent; do
    username=${name/ada/ada1815}
    curl --silent --fail --output /dev/null --header 'Host: www.example.org' --json "{\"email\": \"$name@example.org\",
        \"username\": \"$username\", \"password\": \"Lemon-Tree-42\", \"country\": \"us\", \"zipcode\": \"90210\",
        \"birthday_day\": 5, \"birthday_month\": 7, \"birthday_year\": 1990, \"marketing_consent\": false}" \
        "http://$site/account/account-api/register"
done
# Confirmed addresses, and the authenticator app that a role requires.
sqlite3 "$root/var/lib/account/data/account.db" "UPDATE accounts SET email_verified_at = created_at;
    INSERT INTO totp (account_id, secret, created_at, confirmed_at, last_step)
        SELECT id, x'00', created_at, created_at, 0 FROM accounts WHERE username = 'agent'"
# Every SQL statement of the manual, in backticks or in a block, typed into the sqlite3 of the system. It is older than the
# SQLite of the program, and reads the whole schema before each statement.
verbs='SELECT|INSERT|UPDATE|DELETE|PRAGMA'
{
    grep -hzoP "\`(($verbs) [^\`]+|VACUUM;?)\`" "${manual[@]}" | tr '\n\0' ' \n' | tr -d '\`'
    grep -hoE "^ {4,}($verbs) .*" "${manual[@]}" | sed 's/ --.*//'
} | sort -u >"$root/statements"
(cd "$root/var/lib/account" && account store backup "$root/sql.db" --config "$root/etc/account/account.toml")
while IFS= read -r statement; do
    echo "sqlite> $statement"
    sqlite3 -bail "$root/sql.db" "$statement;"
done <"$root/statements"
sqlite3 "$root/sql.db" 'PRAGMA integrity_check; PRAGMA foreign_key_check;' | diff <(echo ok) -

for name in 'Find an account 1' 'Support view 1' 'Backup and restore 1' 'The encryption key file 1' \
    'Backup and restore 2' 'SQL by hand 1' 'From SQLite to PostgreSQL, or back 1'; do
    block "$name"
done
settings 'A site on PostgreSQL also needs these settings:' >>"$root/etc/account/account.toml"
for name in 'From SQLite to PostgreSQL, or back 2' 'Backup and restore 3'; do
    block "$name"
done
node -p 'const { hostname, port, username, password } = new URL(process.argv[1]);
    `[account]\nhost=${hostname}\nport=${port}\ndbname=account\nuser=${username}\npassword=${password}`' \
    "$ACCOUNT_TEST_POSTGRES_URL" >"$root/etc/account/pg_service.conf"
for name in 'Backup and restore 4' 'Backup and restore 5' 'Backup and restore 6' 'Backup and restore 7' 'SQL by hand 2'; do
    block "$name"
done
cd "$root" && mkdir new-key && cd new-key
block 'The encryption key file 2'
cp "$root/usr/local/bin/account" account
for name in 'Upgrade 1' 'Upgrade 2' 'Upgrade 3'; do block "$name"; done

# Every block was typed, and every command in the text exists.
diff <(sed 's/: .*//' "$root/commands" | sort -u) <(sort "$root/typed")
grep -ohE '`account( [a-z][a-z-]*)+' "${manual[@]}" | tr -d '`' | sort -u | while read -r command; do
    $command --help >/dev/null || { echo "$command does not exist" >&2; exit 1; }
done
