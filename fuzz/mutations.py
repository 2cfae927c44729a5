"""Mutations of files: of their bytes and, for formats with checksums, of what is inside of them."""

from __future__ import annotations

import io
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence

_NUMBER = re.compile(rb"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_NUMBERS = (
    *(b"0", b"-0", b"1", b"-1", b"2", b"0.5", b"1e308", b"-1e308", b"1e309", b"1e-320", b"nan", b"inf", b"-inf", b"x"),
    *(b"255", b"256", b"65535", b"65536", b"2147483647", b"2147483648", b"-2147483649", b"4294967296"),
    *(b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"1" + b"0" * 30, b"9" * 400, b"", b"1_0"),
    *(b"0x10", b"1e999999999", b"\xd9\xa3", b"true", b"null", b"[]", b"{}", b'""'),
)
_TOKENS = (
    *(b"\x00", b"\xff", b"\n", b"\r\n", b"\t", b" ", b",", b":", b'"', b"'", b"[", b"]", b"{", b"}", b"<", b">", b"&"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xf0\x9f\x98\x80", b"\\", b"../", b"/etc/passwd", b"%s", b"!!python/object:x"),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"#", b"- ", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00" * 8),
)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def mutate(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Change a file in one to five places; `others` are files to take pieces of."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = _change(data, rng, others)
    return data


def mutate_archive(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Change a member of a zip archive, such as an `.npz` file, and pack it again with the right checksum."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    match rng.randrange(8):
        case 0:
            del members[name]
        case 1:
            members[rng.choice(list(members))] = members[name]
        case 2:
            members[f"{name[:-4]}x.npy"] = members.pop(name)
        case _:
            members[name] = mutate(members[name], rng, list(members.values()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def mutate_png(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Change a chunk of a PNG file, and give all chunks the right checksum."""
    chunks, at = [], len(_SIGNATURE)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += length + 12
    index = rng.randrange(len(chunks))
    kind, content = chunks[index]
    match rng.randrange(6):
        case 0:
            chunks.insert(rng.randrange(len(chunks) + 1), (kind, content))
        case 1:
            del chunks[index]
        case 2 if kind == b"IDAT":
            chunks[index] = kind, zlib.compress(mutate(zlib.decompress(content), rng))
        case _:
            chunks[index] = kind, mutate(content, rng)
    parts = [
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part)) for kind, part in chunks
    ]
    return _SIGNATURE + b"".join(parts)


def _change(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return rng.randbytes(rng.randint(0, 20))
    at = rng.randrange(len(data))
    end = min(len(data), at + rng.choice((1, 1, 2, 4, 8, 30, 200)))
    match rng.randrange(10):
        case 0:
            return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        case 1:
            return data[:at] + rng.choice((b"\x00", b"\xff", b"\x7f", b"\x80", rng.randbytes(1))) + data[at + 1 :]
        case 2:
            return data[:at]
        case 3:
            return data[:at] + data[end:]
        case 4:
            return data[:end] + data[at:end] * rng.choice((1, 1, 2, 50)) + data[end:]
        case 5:
            return data[:at] + rng.choice(_TOKENS) + data[at:]
        case 6 if others:
            other = rng.choice(others)
            begin = rng.randrange(len(other) + 1)
            return data[:at] + other[begin : begin + rng.choice((4, 30, 10_000))] + data[end:]
        case 7:
            lines = data.split(b"\n")
            one, other_line = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[one], lines[other_line] = lines[other_line], lines[one]
            return b"\n".join(lines)
    number = _NUMBER.search(data, at)
    begin, end = (number.start(), number.end()) if number else (at, end)
    return data[:begin] + rng.choice(_NUMBERS) + data[end:]
