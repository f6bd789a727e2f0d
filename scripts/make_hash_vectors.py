#!/usr/bin/env python3
"""Makes testdata/hashes.json: password hashes written by other implementations.

Run it when a hash form is added; the result is committed, and the tests need only that file.

    python3 -m venv /tmp/vectors
    /tmp/vectors/bin/pip install argon2-cffi==25.1.0 bcrypt==5.0.0 django==5.2.19 passlib==1.7.4
    /tmp/vectors/bin/python scripts/make_hash_vectors.py

It also calls `php`, for the functions that MediaWiki, WordPress and phpBB call, and `openssl passwd`.
Salts come from the case's own description, so that the same versions write the same file.
"""

import hashlib
import hmac
import importlib.metadata
import json
import pathlib
import subprocess
from base64 import b64encode

import argon2.low_level
import bcrypt
import passlib.hash
import passlib.utils.binary
from django.conf import settings
from django.contrib.auth.hashers import (
    Argon2PasswordHasher,
    BCryptPasswordHasher,
    BCryptSHA256PasswordHasher,
    PBKDF2PasswordHasher,
)

PLAIN = "Password1"
SPACED = "  two spaces, Then 3 words  "
WORLD = "Grüße, mañana às 9 · 日本語 🎬"
LONG = "".join(f"{number:02}-Ab" for number in range(20))
PASSWORDS = [PLAIN, SPACED, WORLD, LONG]

cases = []


def add(scheme, made_by, password, hash_text):
    cases.append(
        {"scheme": scheme, "made_by": made_by, "password": password, "hash": hash_text}
    )


def salt(label, length):
    return hashlib.sha256(label.encode()).digest()[:length]


def salt_text(label, length):
    return salt(label, 32).hex()[:length]


def run(*command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def php(code, *arguments):
    return run("php", "-r", code, "--", *arguments)


def version(package):
    return f"{package} {importlib.metadata.version(package)}"


def phc64(data):
    return b64encode(data).decode().rstrip("=")


def with_argon2():
    kinds = {"argon2id": argon2.Type.ID, "argon2i": argon2.Type.I, "argon2d": argon2.Type.D}
    costs = [(65536, 3, 4), (19456, 2, 1), (1024, 4, 2), (256, 1, 1)]
    for name, kind in kinds.items():
        for password, (memory, passes, lanes) in zip(PASSWORDS, costs):
            made = argon2.low_level.hash_secret(
                password.encode(), salt(name + password, 16), passes, memory, lanes, 32, kind
            )
            add(name, version("argon2-cffi"), password, made.decode())
    old = argon2.low_level.hash_secret(
        PLAIN.encode(), salt("old version", 16), 2, 512, 1, 16, argon2.Type.I, version=16
    )
    add("argon2i", version("argon2-cffi"), PLAIN, old.decode())
    made = passlib.hash.argon2.using(
        type="ID", memory_cost=512, rounds=2, parallelism=2, salt=salt("passlib argon2", 16)
    ).hash(WORLD)
    add("argon2id", version("passlib"), WORLD, made)


def with_scrypt():
    for password, (log_n, r, p) in zip(PASSWORDS, [(14, 8, 1), (12, 8, 5), (10, 4, 2), (4, 1, 1)]):
        made = passlib.hash.scrypt.using(
            rounds=log_n, block_size=r, parallelism=p, salt=salt(f"scrypt{log_n}", 16)
        ).hash(password)
        add("scrypt", version("passlib"), password, made)


def with_pbkdf2():
    hashers = {
        "pbkdf2-sha1": (passlib.hash.pbkdf2_sha1, "sha1"),
        "pbkdf2-sha256": (passlib.hash.pbkdf2_sha256, "sha256"),
        "pbkdf2-sha512": (passlib.hash.pbkdf2_sha512, "sha512"),
    }
    for name, (hasher, digest) in hashers.items():
        for password, rounds in zip(PASSWORDS, [29000, 1200, 10, 1]):
            made = hasher.using(rounds=rounds, salt=salt(name + password, 16)).hash(password)
            add(name, version("passlib"), password, made)
        raw_salt = salt(name + " phc", 16)
        derived = hashlib.pbkdf2_hmac(digest, WORLD.encode(), raw_salt, 1000, 32)
        made = f"${name}$i=1000,l=32${phc64(raw_salt)}${phc64(derived)}"
        add(name, "Python hashlib", WORLD, made)


def with_bcrypt():
    for prefix, cost in [(b"2a", 4), (b"2b", 10), (b"2y", 5)]:
        for password in PASSWORDS:
            setting = bcrypt.gensalt(cost, prefix=b"2b").decode()[:7]
            setting = setting.replace("2b", prefix.decode()) + bcrypt64(prefix.decode() + password)
            # The library refuses more than 72 bytes; its predecessors truncated there.
            made = bcrypt.hashpw(password.encode()[:72], setting.encode())
            add("bcrypt", version("bcrypt"), password, made.decode())
    for password in PASSWORDS:
        setting = "$2y$06$" + bcrypt64("php" + password)
        made = php("echo crypt($argv[1], $argv[2]);", password, setting)
        add("bcrypt", PHP, password, made)


def bcrypt64(label):
    ours = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    theirs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return phc64(salt(label, 16)).translate(str.maketrans(theirs, ours))


def with_crypt():
    for password in PASSWORDS:
        text = salt_text("phpass" + password, 8)
        for ident, rounds in [("P", 13), ("H", 11), ("P", 7)]:
            hasher = passlib.hash.phpass.using(ident=ident, rounds=rounds, salt=text)
            add("phpass", version("passlib"), password, hasher.hash(password))
        made = passlib.hash.md5_crypt.using(salt=text).hash(password)
        add("md5-crypt", version("passlib"), password, made)
        for name, hasher in [
            ("sha256-crypt", passlib.hash.sha256_crypt),
            ("sha512-crypt", passlib.hash.sha512_crypt),
        ]:
            for rounds in [5000, 1000, 12345]:
                made = hasher.using(rounds=rounds, salt=text).hash(password)
                add(name, version("passlib"), password, made)
        for name, option in [("md5-crypt", "-1"), ("sha256-crypt", "-5"), ("sha512-crypt", "-6")]:
            made = run("openssl", "passwd", option, "-salt", text, "-stdin", text=password)
            add(name, OPENSSL, password, made)


def with_mediawiki():
    salted = "echo ':B:', $argv[2], ':', md5($argv[2] . '-' . md5($argv[1]));"
    derived = """
        [, $password, $algorithm, $rounds, $length, $salt] = $argv;
        $hash = hash_pbkdf2(
            $algorithm, $password, base64_decode($salt), (int)$rounds, (int)$length, true);
        echo implode(':', ['', 'pbkdf2', $algorithm, $rounds, $length, $salt, base64_encode($hash)]);
    """
    for password in PASSWORDS:
        add("mediawiki-a", PHP, password, php("echo ':A:', md5($argv[1]);", password))
        text = salt_text("mediawiki" + password, 8)
        add("mediawiki-b", PHP, password, php(salted, password, text))
        raw = b64encode(salt("mediawiki" + password, 16)).decode()
        for algorithm, rounds, length in [("sha512", 30000, 64), ("sha256", 10000, 128), ("sha1", 9, 20)]:
            made = php(derived, password, algorithm, str(rounds), str(length), raw)
            add("mediawiki-pbkdf2", PHP, password, made)


def with_django():
    settings.configure()
    hasher = PBKDF2PasswordHasher()
    for password, rounds in zip(PASSWORDS, [100000, 36000, 1000, 1]):
        made = hasher.encode(password, salt_text("django" + password, 22), rounds)
        add("django-pbkdf2-sha256", version("django"), password, made)


    argon = Argon2PasswordHasher()
    for password, (memory, passes, lanes) in zip(PASSWORDS, [(102400, 2, 8), (512, 2, 2), (64, 1, 1), (256, 3, 1)]):
        argon.memory_cost, argon.time_cost, argon.parallelism = memory, passes, lanes
        made = argon.encode(password, salt_text("django argon2" + password, 22))
        add("django-argon2", version("django"), password, made)
    double = BCryptSHA256PasswordHasher()
    for password in PASSWORDS:
        made = double.encode(password, ("$2b$05$" + bcrypt64("django" + password)).encode())
        add("django-bcrypt-sha256", version("django"), password, made)


def with_wordpress():
    """wp_hash_password of WordPress 6.8 (wp-includes/pluggable.php)."""
    for password, cost in zip([*PASSWORDS, PLAIN], [10, 5, 4, 6, 12]):
        trimmed = password.strip(" \n\r\t\v\0").encode()
        digest = b64encode(hmac.new(b"wp-sha384", trimmed, "sha384").digest())
        setting = f"$2b${cost:02}$" + bcrypt64("wordpress" + password + str(cost))
        made = bcrypt.hashpw(digest, setting.encode()).decode()
        add("wordpress-bcrypt", version("bcrypt"), password, "$wp" + made.replace("$2b$", "$2y$", 1))


def with_drupal():
    """_password_crypt of Drupal 7 (includes/password.inc)."""
    for password, log_rounds in zip([*PASSWORDS, PLAIN], [15, 16, 7, 10, 14]):
        text = salt_text(f"drupal{log_rounds}" + password, 8)
        digest = hashlib.sha512((text + password).encode()).digest()
        for _ in range(1 << log_rounds):
            digest = hashlib.sha512(digest + password.encode()).digest()
        encoded = passlib.utils.binary.h64.encode_bytes(digest).decode()
        made = f"$S${passlib.utils.binary.HASH64_CHARS[log_rounds]}{text}{encoded}"[:55]
        add("drupal-sha512", "Python hashlib", password, made)


def with_ldap():
    for password, length in zip(PASSWORDS, [4, 8, 16, 5]):
        raw = salt("ldap" + password, length)
        made = passlib.hash.ldap_salted_sha1.using(salt=raw).hash(password)
        add("ldap-ssha", version("passlib"), password, made)


def with_spellings():
    """The same hashes as older versions and other writers spell them."""
    for ident in ["2a", "2b", "2y"]:
        for hasher, scheme, passwords in [
            (BCryptSHA256PasswordHasher(), "django-bcrypt-sha256", PASSWORDS),
            (BCryptPasswordHasher(), "bcrypt", PASSWORDS[:3]),
        ]:
            for password in passwords:
                setting = f"${ident}$05$" + bcrypt64(f"django {ident} {scheme}" + password)
                made = hasher.encode(password, setting.encode())
                add(scheme, version("django"), password, made)
    # Ory Kratos: ln is N, and base64 has its padding.
    for password, (n, r, p) in zip(PASSWORDS, [(16384, 8, 1), (65536, 8, 1), (128, 8, 2), (1024, 1, 1)]):
        raw = salt(f"kratos{n}", 32)
        derived = hashlib.scrypt(password.encode(), salt=raw, n=n, r=r, p=p, maxmem=1 << 28, dklen=32)
        made = f"$scrypt$ln={n},r={r},p={p}${b64encode(raw).decode()}${b64encode(derived).decode()}"
        add("scrypt", "Python hashlib", password, made)


TYPED = ["Salt&Pepper9", "O'Brian-2024", 'a "b" <c> \\d', "Grüße & mañana 'x'"]


def with_typed_passwords():
    """Hashes of typed passwords that phpBB and WordPress change before hashing."""
    for typed in TYPED:
        escaped = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
        made = passlib.hash.phpass.using(ident="H", rounds=11, salt=salt_text("phpbb" + typed, 8)).hash(escaped)
        add("phpass", version("passlib"), typed, made)
        made = bcrypt.hashpw(escaped.encode(), ("$2y$05$" + bcrypt64("phpbb" + typed)).encode()).decode()
        add("bcrypt", version("bcrypt"), typed, made)
        for name, kind in [("argon2id", argon2.Type.ID), ("argon2i", argon2.Type.I)]:
            raw = salt("phpbb" + typed, 16)
            made = argon2.low_level.hash_secret(escaped.encode(), raw, 4, 1024, 2, 32, kind)
            add(name, version("argon2-cffi"), typed, made.decode())
        slashed = "".join("\\" + c if c in "'\"\\" else c for c in typed)
        made = passlib.hash.phpass.using(ident="P", rounds=8, salt=salt_text("wordpress" + typed, 8)).hash(slashed)
        add("phpass", version("passlib"), typed, made)
        digest = b64encode(hmac.new(b"wp-sha384", slashed.encode(), "sha384").digest())
        setting = "$2b$05$" + bcrypt64("wordpress slashed" + typed)
        made = bcrypt.hashpw(digest, setting.encode()).decode()
        add("wordpress-bcrypt", version("bcrypt"), typed, "$wp" + made.replace("$2b$", "$2y$", 1))


PHP = "PHP " + php("echo PHP_VERSION;")
OPENSSL = " ".join(run("openssl", "version").split()[:2])

for make in [
    with_argon2,
    with_scrypt,
    with_pbkdf2,
    with_bcrypt,
    with_crypt,
    with_mediawiki,
    with_django,
    with_wordpress,
    with_drupal,
    with_ldap,
    with_spellings,
    with_typed_passwords,
]:
    make()

target = pathlib.Path(__file__).parent.parent / "testdata" / "hashes.json"
target.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
print(f"{len(cases)} cases in {target.name}")
