#!/usr/bin/env bash
# Types the steps of deploy/Dockerfile that build the screens and the program, in a folder outside of the checkout, and
# compares every byte of the screens with web/dist: the image can be built, and the embedded files can be reproduced from
# these sources in any folder. Two steps are replaced: the installation of the packages by a link to those of the
# checkout, and the compilation of the release by a check of the same sources.
set -euo pipefail
cd "$(dirname "$0")/.."
checkout=$PWD
root=$(mktemp -d "${TMPDIR:-/tmp}/account image.XXXXXX")
trap 'rm -rf "$root"' EXIT

fail() {
    echo "deploy/Dockerfile: $1" >&2
    exit 1
}

# The files that Docker would get.
excluded=()
while IFS= read -r pattern; do
    case $pattern in
        '**/'*) excluded+=(--no-anchored --exclude="${pattern#'**/'}") ;;
        *) excluded+=(--anchored --exclude="./$pattern") ;;
    esac
done <deploy/Dockerfile.dockerignore
mkdir "$root/context"
tar --create "${excluded[@]}" . | tar --extract --directory "$root/context"

# The dependencies that the checkout has compiled. Cargo knows a package by its path in the workspace: in the folder of
# the checkout's target, this check would have the checkout compiled again.
compiled=$checkout/target/debug
if [ -d "$compiled/deps" ]; then
    mkdir -p "$root/target/debug"
    tar --directory "$compiled" --exclude '*account-*' --exclude 'api-*' --create .fingerprint build deps |
        tar --extract --directory "$root/target/debug"
fi

# COPY [--from=STAGE] SOURCE… TARGET, in the folder of the stage. The content of a folder is copied, not the folder.
copy() {
    local from=$root/context words target source
    read -ra words <<<"$1"
    if [[ ${words[0]} == --from=* ]]; then
        from=$root/${words[0]#--from=}
        words=("${words[@]:1}")
    fi
    target=${words[-1]}
    unset 'words[-1]'
    for source in "${words[@]}"; do
        [ -e "$from/$source" ] || fail "COPY $1: $source is not there"
        if [ -d "$from/$source" ]; then
            mkdir -p "$target"
            cp -R "$from/$source/." "$target/"
        else
            [[ $target == */ ]] || mkdir -p "$(dirname "$target")"
            cp "$from/$source" "$target"
        fi
    done
}

run() {
    case $1 in
        'npm ci '*) ln -s "$checkout/web/node_modules" node_modules ;;
        'npm '*) bash -ec "$1" ;;
        'cargo build --release --locked '*) CARGO_TARGET_DIR=$root/target cargo check --quiet --locked ;;
        *) fail "RUN $1: scripts/same-build.sh does not know this step" ;;
    esac
}

# The instructions of a stage, each in one line.
instructions() {
    sed -e '/^ *#/d' deploy/Dockerfile | sed -e ':join' -e '/\\$/{N;s/ *\\\n */ /;bjoin' -e '}' |
        awk -v stage="$1" '$1 == "FROM" { inside = $NF == stage; next } inside && NF'
}

for stage in screens program; do
    echo "the stage '$stage' of deploy/Dockerfile:"
    instructions "$stage" >"$root/$stage.steps"
    while read -r -u 3 word rest; do
        echo "$word $rest"
        case $word in
            WORKDIR)
                mkdir -p "$root/$stage$rest"
                cd "$root/$stage$rest"
                ;;
            COPY) copy "$rest" ;;
            RUN)
                if ! run "$rest" >"$root/log" 2>&1; then
                    cat "$root/log" >&2
                    fail "RUN $rest"
                fi
                ;;
            ARG) ;;
            *) fail "$word: scripts/same-build.sh does not know this instruction" ;;
        esac
    done 3<"$root/$stage.steps"
    cd "$checkout"
done

again=$root/screens/src/web/dist
if ! diff --brief --recursive web/dist "$again" >&2; then
    echo "The second build gave different files in another folder" >&2
    exit 1
fi
echo "the second build of the screens is identical: $(find web/dist -type f | wc -l) files"
