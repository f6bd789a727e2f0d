#!/usr/bin/env python3
"""Measures `account legacy import`: prints the table of docs/import-benchmark.md.

    make build
    scripts/with-postgres.sh scripts/bench_import.py            # 10 thousand to 2 million rows
    scripts/with-postgres.sh scripts/bench_import.py 10000      # or other numbers

Each file is imported twice into an empty database: the first run writes every row, the second finds
every row unchanged. Addresses come in no order, as hashes do, so that the indexes get no help.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ACCOUNT_PROGRAM", ROOT / "target/release/account")
SIZES = [10_000, 100_000, 500_000, 2_000_000]
ITOA64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def row(number):
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    # phpass: the form of which there is most in the world.
    salted = "".join(ITOA64[int(digest[at : at + 2], 16) % 64] for at in range(0, 60, 2))
    return {
        "email": f"{digest[:12]}.{number}@example.org",
        "username": f"fan{digest[12:20]}{number}",
        "password_hash": f"$P$B{salted}",
        "first_name": "Ann",
        "last_name": f"Of the {number % 977}th Row",
        "country": ["us", "de", "br", "mx", "gb", "se"][number % 6],
        "birthday_day": number % 28 + 1,
        "birthday_month": number % 12 + 1,
        "birthday_year": 1950 + number % 50,
        "zipcode": f"{number % 90000 + 10000}",
        "marketing_consent": number % 3 == 0,
        "language": ["en", "de", "pt", "es"][number % 4],
        "legacy_id": str(number),
        "created_at": "2012-05-01T10:00:00Z",
    }


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        for number in range(rows):
            file.write(json.dumps(row(number)) + "\n")


def imports(url, file, expected):
    """Runs one import; returns seconds, seconds of CPU and the peak of memory in MiB."""
    environment = {**os.environ, "ACCOUNT_DATABASE__URL": url}
    command = [PROGRAM, "legacy", "import", file, "--json"]
    begun = time.monotonic()
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    counts = json.loads(child.stdout.read())
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - begun
    # Reaped by wait4: the module must not look for it again.
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0 and {k: v for k, v in counts.items() if v} == expected, counts
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def database(kind, folder, rows):
    if kind == "SQLite":
        return f"sqlite://{folder}/{rows}.db"
    url = urllib.parse.urlsplit(os.environ["ACCOUNT_TEST_POSTGRES_URL"])
    name = f"import_{rows}"
    for sql in (f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}"):
        subprocess.run(["psql", "-q", url.geturl(), "-c", sql], check=True)
    return url._replace(path=f"/{name}").geturl()


def measure(kind, folder, file, rows):
    url = database(kind, folder, rows)
    first = imports(url, file, {"read": rows, "new": rows})
    second = imports(url, file, {"read": rows, "unchanged": rows})
    cells = [kind, f"{rows:,}", f"{os.path.getsize(file) / 1e6:,.0f} MB"]
    for seconds, cpu, memory in (first, second):
        cells += [f"{seconds:.1f} s", f"{rows / seconds:,.0f}", f"{cpu:.1f} s", f"{memory:.0f} MiB"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    kinds = ["SQLite"] + ["PostgreSQL"] * ("ACCOUNT_TEST_POSTGRES_URL" in os.environ)
    names = ["database", "rows", "file"]
    for run in ("new", "again"):
        names += [run, "rows/s", "CPU", "memory"]
    print("| " + " | ".join(names) + " |")
    print("|---|" + "---:|" * (len(names) - 1))
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            file = os.path.join(folder, "old.jsonl")
            write(file, rows)
            for kind in kinds:
                measure(kind, folder, file, rows)


if __name__ == "__main__":
    main()
