#!/usr/bin/env python3
"""Makes src/domain/common_passwords.bin from three published lists of common passwords.

Run it to update the lists; the result is committed. docs/decisions/common-passwords.md has the sources of
the lists and the reasons for the format of the file.

    python3 -m venv /tmp/lists
    /tmp/lists/bin/pip install django==5.2.19
    /tmp/lists/bin/python scripts/make_common_passwords.py

It also calls `npm pack`.
"""

import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile

import django.contrib.auth

ZXCVBN = "zxcvbn@4.4.2"
ZXCVBN_TS = "@zxcvbn-ts/language-common@4.1.3"

# The number of words without a digit: the server also checks a password without the digits and
# punctuation at its end, so each word covers thousands of passwords.
STEMS = 12_000
# Bytes of SHA-256 stored for each entry; src/domain/common_passwords.rs uses the same number.
RECORD = 5

# English lists contain few words of the site's other languages, and few seasons.
OURS = """
passwort kennwort geheim hallo schatz liebling sommer herbst winter frühling fruehling januar
februar märz maerz april juni juli august september oktober november dezember montag freitag
sonntag deutschland
contraseña contrasena clave secreto hola amor tequiero teamo verano otoño invierno primavera enero
febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes viernes
domingo españa espana mexico argentina
senha segredo mudar amor teamo brasil portugal verao verão outono inverno janeiro fevereiro março
marco abril maio junho julho agosto setembro outubro novembro dezembro segunda sexta domingo
january february march april june july august september october november december monday friday
sunday summer autumn spring winter account welcome changeme letmein
""".split()


def read_package_file(package, member):
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, package]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (archive,) = pathlib.Path(folder).glob("*.tgz")
        with tarfile.open(archive) as tar:
            return tar.extractfile(f"package/{member}").read().decode()


def zxcvbn_words():
    source = read_package_file(ZXCVBN, "lib/frequency_lists.js")
    return re.search(r'passwords:\s*"([^"]*)"', source).group(1).split(",")


def zxcvbn_ts_words():
    return json.loads(read_package_file(ZXCVBN_TS, "src/passwords.json"))


def django_words():
    path = pathlib.Path(django.contrib.auth.__file__).with_name("common-passwords.txt.gz")
    return gzip.decompress(path.read_bytes()).decode().split()


def merge_by_rank(lists):
    """Each word once, case-folded, the commonest first; its best rank in any list counts."""
    rank = {}
    for words in lists:
        for place, word in enumerate(words):
            word = word.lower()
            if is_plausible(word):
                rank[word] = min(place, rank.get(word, place))
    return sorted(rank, key=lambda word: (rank[word], word))


def is_plausible(word):
    """Removes garbled entries and email addresses."""
    return "пїѕ" not in word and not re.search(r"@.*\.", word)


def is_allowed_by_policy(word):
    """Whether some spelling has six characters, letters of both cases and a digit."""
    return len(word) >= 6 and re.search(r"[^\W\d_]", word) and re.search(r"\d", word)


def stem(word):
    return re.sub(r"\d{1,4}$", "", word.rstrip("!.?*@#$"))


def main():
    words = merge_by_rank([django_words(), zxcvbn_words(), zxcvbn_ts_words()])
    stems = [word for word in words if len(word) >= 4 and not re.search(r"\d", word)][:STEMS]
    kept = set(stems) | set(OURS)
    candidates = [word for word in words if is_allowed_by_policy(word)]
    whole = {word for word in candidates if stem(word) not in kept}
    records = sorted({hashlib.sha256(word.encode()).digest()[:RECORD] for word in kept | whole})
    target = pathlib.Path(__file__).parent.parent / "src" / "domain" / "common_passwords.bin"
    target.write_bytes(b"".join(records))
    print(f"{len(candidates)} passwords that the policy allows: {len(whole)} as they are, the")
    print(f"others as one of {len(kept)} words; {len(records)} records, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
