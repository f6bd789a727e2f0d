#!/usr/bin/env bash
# Packs the release program with its bills of materials, documents, manual pages and completions into
# target/account-VERSION-TARGET.tar.gz. The same commit gives the same bytes. Usage: release.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "$1")
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=account-$version-$(rustc -vV | sed -n 's/^host: //p')
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

case $("$program" --version) in
"account $version"*) ;;
*) echo "$program is $("$program" --version), the sources are $version" >&2 && exit 1 ;;
esac

parent=target/release-archive
folder=$parent/$name
rm -rf "$parent"
mkdir -p "$folder"/{man,completions}
install -m 755 "$program" "$folder/account"
git archive HEAD LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md config.example.toml \
    config.regions.example.toml openapi.json locales examples deploy docs | tar --extract --directory "$folder"
"$program" man --output "$folder/man"
"$program" completions bash >"$folder/completions/account.bash"
"$program" completions fish >"$folder/completions/account.fish"
"$program" completions zsh >"$folder/completions/_account"
# Without what differs between two runs: serial numbers, the time of the run and the folder of the sources.
for bill in account.cdx.json account-web.cdx.json; do
    node -e '
        const { readFileSync } = require("node:fs")
        const bill = JSON.parse(readFileSync(process.argv[1], "utf8").replaceAll(process.cwd(), ""))
        delete bill.serialNumber
        bill.metadata.timestamp = new Date(process.env.SOURCE_DATE_EPOCH * 1000).toISOString()
        process.stdout.write(JSON.stringify(bill, null, 2) + "\n")
    ' "target/$bill" >"$folder/$bill"
done
chmod -R u=rwX,go=rX "$folder"
tar --create --directory "$parent" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip --no-name --best >"target/$name.tar.gz"
rm -rf "$parent"
sha256sum "target/$name.tar.gz"
