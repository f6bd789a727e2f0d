#!/usr/bin/env python3
"""Measures `account legacy import`: prints the tables of docs/import-benchmark.md.

    make build
    scripts/bench_import.py              # 10 thousand to 2 million rows, about four minutes
    scripts/bench_import.py 10000        # or other numbers of rows

Each file is imported twice into an empty database: the first run writes every row, the second finds
every row unchanged. The script starts PostgreSQL with its default, durable settings; a server named in
ACCOUNT_TEST_POSTGRES_URL is used instead, and its CPU is counted if it runs on this machine.

Addresses are unordered, which is the worst case for the indexes.
"""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ACCOUNT_PROGRAM", ROOT / "target/release/account")
SIZES = [10_000, 100_000, 1_000_000, 2_000_000]
TICKS = os.sysconf("SC_CLK_TCK")

# Common names of the four languages, some with letters outside ASCII.
FIRST = """James Mary Michael Patricia Robert Jennifer David Linda William Elizabeth Lukas Anna Jonas Léa
    Jürgen Käthe Søren Åse José María Luis Lucía João Beatriz Thiago Inês Renée Zoë Chloé Siobhán""".split()
LAST = """Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Müller Schmidt Schneider
    Fischer Weber García Rodríguez Martínez Hernández López Silva Santos Oliveira Souza Pereira Nielsen
    Åkesson O'Brien Lefèvre Nguyễn""".split()
HOSTS = ["example.com", "example.org", "example.net", "mail.example.com", "post.example.de", "correo.example"]
COUNTRIES = ["us", "us", "us", "de", "br", "mx", "gb", "se"]
LANGUAGES = ["en", "en", "de", "pt", "es"]
ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ALPHABET_OF_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def table(alphabet):
    return bytes(ord(alphabet[byte % 64]) for byte in range(256))


CRYPT64, BASE64 = table(ALPHABET), table(ALPHABET_OF_BASE64)


def encode_letters(digest, count, alphabet=CRYPT64):
    return digest[:count].translate(alphabet).decode()


def password_hash(number, digest):
    """Hash forms of forums, wikis and shops of the last twenty years, roughly in their proportions."""
    kind = number % 20
    if kind < 8:
        return "$P$B" + encode_letters(digest, 30)
    if kind < 12:
        return "$2y$10$" + encode_letters(digest, 21) + "." + encode_letters(digest[21:], 30) + "u"
    if kind < 14:
        return f":B:{digest[:4].hex()}:{digest[4:20].hex()}"
    if kind < 16:
        salt = encode_letters(digest, 21, BASE64) + "A=="
        return f":pbkdf2:sha512:30000:64:{salt}:{encode_letters(digest, 64, BASE64)}{encode_letters(digest, 21, BASE64)}A=="
    if kind < 17:
        return f"$6$rounds=5000${encode_letters(digest, 16)}${encode_letters(digest, 64)}{encode_letters(digest, 21)}."
    if kind < 18:
        return f"pbkdf2_sha256$260000${encode_letters(digest, 22, BASE64).replace('+', 'a').replace('/', 'b')}${encode_letters(digest, 42, BASE64)}A="
    if kind < 19:
        return f"$argon2id$v=19$m=65536,t=3,p=4${encode_letters(digest, 21, BASE64)}A${encode_letters(digest, 42, BASE64)}A"
    return None


def row(number):
    digest = hashlib.sha512(str(number).encode()).digest()
    first, last, host, land, language = (
        choices[digest[at] % len(choices)] for at, choices in enumerate((FIRST, LAST, HOSTS, COUNTRIES, LANGUAGES), 40)
    )
    handle = f"{digest[: 2 + number % 3].hex()}x{number}"
    plain = f"{first[0]}{last}".encode("ascii", "ignore").decode().replace("'", "")
    local = f"{plain}.{handle}" if number % 3 else handle
    return {
        "email": f"{local if number % 7 else local.lower()}@{host}",
        "username": f"{plain}{handle}",
        "password_hash": password_hash(number, digest),
        "first_name": first,
        "last_name": last,
        "country": land,
        "birthday_day": digest[1] % 28 + 1,
        "birthday_month": digest[2] % 12 + 1,
        "birthday_year": 1950 + digest[3] % 56,
        "zipcode": f"{10000 + number * 7919 % 89999}",
        "marketing_consent": digest[4] % 3 == 0,
        "language": language,
        "legacy_id": str(number),
        "created_at": f"20{digest[5] % 16 + 8:02}-{digest[6] % 12 + 1:02}-{digest[7] % 28 + 1:02}T{digest[8] % 24:02}:00:00Z",
    }


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        for number in range(rows):
            file.write(json.dumps(row(number), ensure_ascii=False) + "\n")


class Server:
    """A PostgreSQL server, and the CPU time of all of its processes."""

    def __init__(self, url):
        self.url = urllib.parse.urlsplit(url)
        self.version = self.query("SHOW server_version").split()[0]
        self.is_durable = self.query("SHOW fsync") == "on"
        try:
            pid = self.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
            self.postmaster = stat(pid)["ppid"]  # text, as /proc names it
        except (OSError, ValueError):
            self.postmaster = None  # on another machine

    def query(self, sql):
        command = ["psql", "-qAt", self.url.geturl(), "-c", sql]
        # Suppress the notice that there was nothing to drop.
        environment = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
        done = subprocess.run(command, env=environment, check=True, text=True, stdout=subprocess.PIPE)
        return done.stdout.strip()

    def cpu(self):
        """Seconds of CPU of all processes, after the connection of the last run has ended."""
        if self.postmaster is None:
            return 0.0
        before = None
        while before != (now := self.ticks()):
            before = now
            time.sleep(0.2)
        return now / TICKS

    def ticks(self):
        processes = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                processes[pid] = stat(pid)
            except OSError:
                continue  # it has just ended
        ours = [process["own"] for process in processes.values() if process["ppid"] == self.postmaster]
        # The kernel adds the time of ended processes to their parent.
        return sum(ours) + sum(processes[self.postmaster][part] for part in ("own", "ended"))

    def database(self, rows):
        name = f"import_{rows}"
        self.query(f"DROP DATABASE IF EXISTS {name}")
        self.query(f"CREATE DATABASE {name}")
        return self.url._replace(path=f"/{name}")


def stat(pid):
    """proc(5): parent, and ticks of CPU, its own and those of its ended children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    numbers = [int(text) for text in fields[11:15]]
    return {"ppid": fields[1], "own": sum(numbers[:2]), "ended": sum(numbers[2:])}


def run_import(url, file, expected, server):
    """Runs one import: seconds, seconds of CPU of the program and of the server, the peak of memory in MiB."""
    environment = {**os.environ, "ACCOUNT_DATABASE__URL": url}
    command = [PROGRAM, "legacy", "import", file, "--json"]
    before, begun = server.cpu() if server else 0.0, time.monotonic()
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    counts = json.loads(child.stdout.read())
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - begun
    after = server.cpu() if server else 0.0
    # wait4 has reaped it: the module must not wait for it again.
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0 and {k: v for k, v in counts.items() if v} == expected, counts
    return seconds, usage.ru_utime + usage.ru_stime, after - before, usage.ru_maxrss / 1024


def measure(folder, file, rows, server, fastest):
    url = server.database(rows).geturl() if server else f"sqlite://{folder}/{rows}.db"
    environment = {**os.environ, "ACCOUNT_DATABASE__URL": url}
    subprocess.run([PROGRAM, "migrate"], env=environment, stderr=subprocess.DEVNULL, check=True)
    without = rows // 20  # those of `password_hash`
    for run, count in (("new", "new"), ("again", "unchanged")):
        expected = {"read": rows, count: rows, "without_hash": without}
        if server:
            # Flush the pending writes of the previous run first.
            server.query("CHECKPOINT")
        os.sync()
        seconds, own, servers, memory = run_import(url, file, expected, server)
        a_second = rows / seconds
        kind = f"PostgreSQL {server.version}" if server else "SQLite"
        fastest[kind, run] = max(fastest.get((kind, run), 0), a_second)
        micros = [f"{cpu / rows * 1e6:.1f} µs" for cpu in (own, servers)]
        cells = [kind, run, f"{rows:,}", f"{os.path.getsize(file) / 1e6:,.0f} MB", f"{seconds:.1f} s"]
        cells += [f"{a_second:,.0f}", f"{a_second / fastest[kind, run]:.2f}", micros[0]]
        cells += [micros[1] if server and server.postmaster else "–", f"{memory:.0f} MiB"]
        print("| " + " | ".join(cells) + " |", flush=True)
    if server:
        server.query(f"DROP DATABASE import_{rows}")
    else:
        for path in pathlib.Path(folder).glob(f"{rows}.db*"):
            path.unlink()


def machine(server):
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    day = datetime.datetime.now(datetime.timezone.utc).date()
    safe = "" if server is None or server.is_durable else ", PostgreSQL without fsync"
    return (
        f"{day}, {model}, {os.cpu_count()} cores, {memory:.0f} GiB, Linux {platform.release().split('-')[0]}; "
        f"load average before {os.getloadavg()[0]:.1f}{safe}"
    )


def main():
    if "ACCOUNT_TEST_POSTGRES_URL" not in os.environ:
        # With fsync on a disk: figures without would not be reproducible in production.
        os.environ["ACCOUNT_TEST_POSTGRES_FLAGS"] = ""
        os.environ.setdefault("TMPDIR", "/tmp")
        script = str(ROOT / "scripts/with-postgres.sh")
        os.execv(script, [script, sys.executable, __file__, *sys.argv[1:]])
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    server = Server(os.environ["ACCOUNT_TEST_POSTGRES_URL"])
    print(machine(server) + "\n")
    names = ["database", "run", "rows", "file", "time", "rows/s", "flat", "CPU per row", "server's", "memory"]
    print("| " + " | ".join(names) + " |")
    print("|---|---|" + "---:|" * (len(names) - 2), flush=True)
    fastest = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            file = os.path.join(folder, "old.jsonl")
            write(file, rows)
            for each in (None, server):
                measure(folder, file, rows, each, fastest)


if __name__ == "__main__":
    main()
