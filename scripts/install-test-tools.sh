#!/usr/bin/env bash
# Installs the tools that the tests need beyond Rust and Node: a browser, a database server, proxies, a pooler,
# an authenticator app, a reader of QR codes, a reader of ZIP archives, the shell of SQLite.
# As root on Debian it installs missing tools; elsewhere it prints one line and fails. It installs no components of
# Rust, and the tests need a clone, because the checks of the documents list the files with git.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
    echo "The checks need rustfmt and clippy: rustup component add rustfmt clippy" >&2
    exit 1
fi
if ! command -v git >/dev/null; then
    echo "The checks need git; on Debian: apt-get install git" >&2
    exit 1
fi
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    echo "The checks need a clone of the repository, not an unpacked archive: git clone" >&2
    exit 1
fi

packages=()
names=()
if [ -z "${ACCOUNT_TEST_CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then
    # The package chromium only recommends fonts; without any, pages show boxes.
    packages+=(chromium fonts-liberation)
    names+=("Chromium (or its path in ACCOUNT_TEST_CHROMIUM)")
fi
if [ -z "${ACCOUNT_TEST_POSTGRES_URL:-}" ] && ! scripts/postgres-bin.sh >/dev/null; then
    packages+=(postgresql)
    names+=("PostgreSQL's server (or a server's address in ACCOUNT_TEST_POSTGRES_URL)")
fi
if ! [ -x /usr/sbin/apache2 ] || ! [ -e /usr/lib/apache2/modules/mod_auth_openidc.so ]; then
    packages+=(apache2 libapache2-mod-auth-openidc)
    names+=("Apache with mod_auth_openidc")
fi
# Command, package, and name in the message.
while read -r tool package name; do
    if ! PATH="$PATH:/usr/sbin" command -v "$tool" >/dev/null; then
        packages+=("$package")
        names+=("$name")
    fi
done <<'TOOLS'
nginx nginx-light nginx
caddy caddy Caddy
pgbouncer pgbouncer pgbouncer
openssl openssl the openssl command
systemd-analyze systemd systemd-analyze
oathtool oathtool oathtool
zbarimg zbar-tools zbarimg
unzip unzip unzip
sqlite3 sqlite3 sqlite3
TOOLS
# The whole browser also works, but is slower (e2e/chromium.ts).
wished=()
if [ -z "${ACCOUNT_TEST_CHROMIUM:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null &&
    ! command -v chromium-headless-shell >/dev/null; then
    wished=(chromium-headless-shell)
fi
[ ${#packages[@]} -gt 0 ] || [ ${#wished[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    missing=$(printf ' and %s' "${names[@]}")
    echo "The tests need${missing# and}; on Debian: sudo apt-get install ${packages[*]}" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -qq -o Acquire::http::Timeout=20 -o Acquire::Retries=1 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
log=$(mktemp)
# The tests run their own clusters; Debian's default cluster must not be created.
cluster_rule=/etc/postgresql-common/createcluster.d/account-tests.conf
# No web server must be started on port 80.
start_rule=/usr/sbin/policy-rc.d
rules=("$cluster_rule")
if [ ! -e "$start_rule" ]; then
    rules+=("$start_rule")
    printf '#!/bin/sh\nexit 101\n' >"$start_rule"
    chmod 755 "$start_rule"
fi
trap 'rm -f "$log" "${rules[@]}"' EXIT
mkdir -p "$(dirname "$cluster_rule")"
echo 'create_main_cluster = false' >"$cluster_rule"

install() {
    echo "Installing $* from Debian" >&2
    { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends --yes "$@"; } >"$log" 2>&1
}
if [ ${#packages[@]} -gt 0 ] && ! install "${packages[@]}"; then
    cat "$log" >&2
    exit 1
fi
if [ ${#wished[@]} -gt 0 ] && ! install "${wished[@]}"; then
    echo "${wished[*]} cannot be installed: the browser tests use the whole browser and take longer" >&2
fi
