"""What Google's QUICHE has built into a program, read from its bytes: its flags' defaults, and N of its CUBIC.

A flag is an object of Abseil's in the program's data: a pointer to its name, and some bytes behind it its default. How
many bytes, those flags tell that QUICHE has for its tests, whose defaults are in their names.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from longlook.errors import LonglookError

FLAG = re.compile(rb"(?<=\0)(?:envoy_)?(?:quiche|quic)_((?:reloadable|restart)_flag_\w+)(?=\0)")
KNOWN = {"_testonly_default_true": True, "_testonly_default_false": False}
"""How the names of flags end whose default needs no reading."""
NEAREST, FARTHEST = 8, 128
"""Bytes behind the pointer to a flag's name, among which its default is looked for."""
DATA, RELOCATIONS = 1, 4
"""ELF's PROGBITS and RELA."""
WRITABLE, EXECUTABLE = 1, 4
"""Its flags of a section."""
HEADER, SECTION = struct.Struct("<40xQ10x3H"), struct.Struct("<IIQQQQ24x")
RELOCATION, POINTER = struct.Struct("<QQq"), struct.Struct("<Q")
CONTROLLERS = {"quic_default_to_bbr_v2": "bbr2", "quic_default_to_bbr": "bbr"}
"""Flag -> QUICHE's default controller where it is on, the one that takes precedence first; CUBIC where none is."""
RELOADABLE = "reloadable_flag_"


class Bytes(Protocol):
    """A program, in memory or mapped into it."""

    def __getitem__(self, place: slice, /) -> bytes: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True)
class ElfSection:
    """Of an ELF file: where it is in the file and in memory."""

    kind: int
    flags: int
    address: int
    offset: int
    size: int

    def bytes_of(self, program: Bytes) -> bytes:
        return program[self.offset : self.offset + self.size]


def sections(program: Bytes) -> list[ElfSection]:
    """Of an ELF file of 64 bits."""
    if program[0:5] != b"\x7fELF\x02":
        raise LonglookError("not a program of Linux on a machine of 64 bits")
    table, size, number, _ = HEADER.unpack(program[0 : HEADER.size])
    found = []
    for index in range(number):
        at = table + index * size
        _, *values = SECTION.unpack(program[at : at + SECTION.size])
        found.append(ElfSection(*values))
    return found


def flags(program: Bytes) -> dict[str, bool]:
    """`reloadable_flag_quic_default_to_bbr` -> its default, of every flag of QUICHE's, sorted."""
    own = sections(program)
    places = _places(program, own, {address: name for name, address in _names(program, own)})
    distance = _distance(program, places)
    return {name: program[place + distance : place + distance + 1] == b"\1" for name, place in sorted(places.items())}


def _names(program: Bytes, own: Sequence[ElfSection]) -> Iterator[tuple[str, int]]:
    """Flag -> address of its name."""
    for section in own:
        if section.kind == DATA and not section.flags & (WRITABLE | EXECUTABLE):
            for found in FLAG.finditer(section.bytes_of(program)):
                yield found.group(1).decode("ascii"), section.address + found.start()


def _places(program: Bytes, own: Sequence[ElfSection], names: Mapping[int, str]) -> dict[str, int]:
    """Flag -> offset, in the file, of the pointer to its name. A program that may lie anywhere in memory has its
    pointers in its relocations, or in their places."""
    data = [section for section in own if section.kind == DATA and section.flags & WRITABLE]
    found = {}
    for address, pointed in _pointers(program, own, data):
        name = names.get(pointed)
        if name is not None:
            section = next((one for one in data if one.address <= address < one.address + one.size), None)
            if section is not None:
                found[name] = address - section.address + section.offset
    return found


def _pointers(program: Bytes, own: Sequence[ElfSection], data: Sequence[ElfSection]) -> Iterator[tuple[int, int]]:
    """Addresses in the data, and what they point to."""
    for section in data:
        content = section.bytes_of(program)
        whole = content[: len(content) // POINTER.size * POINTER.size]
        for index, (pointed,) in enumerate(POINTER.iter_unpack(whole)):
            yield section.address + index * POINTER.size, pointed
    for section in own:
        if section.kind == RELOCATIONS:
            for address, _, pointed in RELOCATION.iter_unpack(section.bytes_of(program)):
                yield address, pointed


def _distance(program: Bytes, places: Mapping[str, int]) -> int:
    """From the pointer to a flag's name to its default."""
    known = {place: value for name, place in places.items() for ending, value in KNOWN.items() if name.endswith(ending)}
    if set(known.values()) != {True, False}:
        raise LonglookError("a program without flags of QUICHE's whose default is known")
    for distance in range(NEAREST, FARTHEST):
        if all(program[place + distance : place + distance + 1] == bytes([value]) for place, value in known.items()):
            return distance
    raise LonglookError("the flags of this program do not lie as those of Abseil do")


def controller(found: Mapping[str, bool]) -> str:
    """What its connections begin with if nobody asks for another one, by its flags."""
    on = (name for flag, name in CONTROLLERS.items() if found.get(RELOADABLE + flag))
    return next(on, "cubic")


def emulated(program: Bytes, changes: Sequence[Mapping[str, str]]) -> int | None:
    """N of its CUBIC: what stands where `changes` (envoy-n1.toml) would change it, by the bytes around; None where the
    program has not exactly one such place for each, or they differ."""
    content, values = program[0 : len(program)], set()
    for one in changes:
        before, after = (re.escape(bytes.fromhex(one[key])) for key in ("before", "after"))
        found = re.findall(before + b"(.{4})" + after, content, re.DOTALL)
        if len(found) != 1:
            return None
        values.add(int.from_bytes(found[0], "little"))
    return values.pop() if len(values) == 1 else None
