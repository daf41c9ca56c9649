"""Every function of every self-contained header compiles for BPF, by clang and by the pinned zig, without root."""

import importlib.util
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dist import contents
from plain.folders import plain_folders
from plain.headers import HEADERS, source
from studies.live.bpf.objects import everything

COMPILERS = {
    "clang": ("clang", "-target", "bpf", "-ffreestanding"),
    "zig": (sys.executable, "-m", "ziglang", "cc", "-target", "bpfel-freestanding"),
}
OPTIONS = ("-O2", "-g", "-Wall", "-Wextra", "-Werror")
FUNCTION = re.compile(r"^(?:\w+_RARE|static inline)\s+([^;{}=()]*?)\b(\w+)\(([^;{}]*?)\)\s*\{", re.M)


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    if request.param == "clang" and not shutil.which("clang"):
        pytest.skip("needs clang, which is not installed")
    if request.param == "zig" and not importlib.util.find_spec("ziglang"):
        pytest.skip("needs zig, which is not installed (make wasm-extras)")
    return str(request.param)


def users(header: str, text: str) -> str:
    """Return a C file with a caller of each function of a header.

    Callers have external linkage. BPF functions have at most five arguments and cannot return a struct. Each caller
    therefore has all arguments in a struct, and the functions of the header are inlined.
    """
    lines = ["#define inline __inline__ __attribute__((always_inline))", f'#include "{header}.h"']
    for returned, function, parameters in FUNCTION.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
        members = [" ".join(parameter.split()) for parameter in parameters.split(",")]
        names = [member.rsplit(" ", 1)[1].lstrip("*") for member in members]
        arguments = ", ".join(f"a->{name}" for name in names)
        result = "" if returned.strip() == "void" else "a->returned = "
        members += [f"{returned.strip()} returned"] if result else []
        lines += [
            f"struct of_{function} {{ {' '.join(f'{member};' for member in members)} }};",
            f"void use_{function}(struct of_{function} *a);",
            f"void use_{function}(struct of_{function} *a) {{ {result}{function}({arguments}); }}",
        ]
    return "\n".join(lines) + "\n"


def compile_users(header: str, text: str, compiler: str, directory: Path) -> "subprocess.CompletedProcess[str]":
    """Compile all functions of a header with this text for BPF."""
    (directory / f"{header}.h").write_text(text, encoding="utf-8")
    program = directory / "users.c"
    program.write_text(users(header, text), encoding="utf-8")
    folders = [f"-I{folder}" for folder in (directory, *plain_folders())]
    command = [*COMPILERS[compiler], *OPTIONS, *folders, "-c", str(program), "-o", str(directory / "users.o")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("header", HEADERS)
def test_compiles_for_bpf(header: str, compiler: str, tmp_path: Path) -> None:
    """The header compiles, and the object has a symbol for each function."""
    text = source(header)
    done = compile_users(header, text, compiler, tmp_path)
    assert done.returncode == 0, done.stderr
    functions = re.findall(rf"^(?:\w+_RARE|static inline) [^;{{]*?\b({header}_\w+)\([^;{{]*\) {{", text, re.M)
    assert len(functions) >= 4
    symbols = (tmp_path / "users.o").read_bytes()
    assert [function for function in functions if f"\0use_{function}\0".encode() not in symbols] == []


def test_the_archive_builds_the_objects(tmp_path: Path) -> None:
    """The folder ``bpf`` of the port's archive builds without other files of the repository."""
    if not shutil.which("clang") or not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("needs clang and libbpf-dev, which are not installed")
    contents.port(tmp_path / "c")
    subprocess.run(["make", "--silent", "-C", str(tmp_path / "c" / "bpf"), f"OUT={tmp_path / 'out'}"], check=True)
    names = {bpf_object.name for bpf_object in everything()}
    assert {path.stem for path in (tmp_path / "out").glob("*.o")} == names


_WIDE = """
#include <inttypes.h>
#include <stdio.h>
#define __bpf__ 1
#include "bbr_draft_06.h"
int main(void) {
    struct bbr_draft_06_rate a, b;
    while (scanf("%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &a.bytes, &a.ns, &b.bytes, &b.ns) == 4)
        printf("%" PRIu64 " %d\\n", bbr_draft_06_scaled(a.bytes, b.bytes, a.ns), bbr_draft_06_less(&a, &b));
    return 0;
}
"""


def test_wide_products_of_bbr_are_exact(tmp_path: Path) -> None:
    """Wide products, compiled for this machine, are exact for operands of all sizes; few vectors have large ones."""
    if not shutil.which("gcc"):
        pytest.skip("needs gcc, which is not installed")
    (tmp_path / "wide.c").write_text(_WIDE, encoding="utf-8")
    folders = [f"-I{folder}" for folder in plain_folders()]
    subprocess.run(["gcc", "-O2", *folders, str(tmp_path / "wide.c"), "-o", str(tmp_path / "wide")], check=True)
    draw = random.Random(1)
    rates = [[max(draw.getrandbits(draw.randint(1, most)), 1) for most in (62, 59, 62, 59)] for _ in range(20_000)]
    rates += [[bytes_ - 1, ns, bytes_, ns] for bytes_, ns, _, _ in rates if bytes_ > 1]
    operands = "\n".join(" ".join(map(str, rate)) for rate in rates)
    answers = subprocess.run([tmp_path / "wide"], input=operands, capture_output=True, text=True, check=True).stdout
    expected = [
        f"{min(a_bytes * b_bytes // a_ns, 2**62 - 1)} {int(a_bytes * b_ns < b_bytes * a_ns)}"
        for a_bytes, a_ns, b_bytes, b_ns in rates
    ]
    assert answers.splitlines() == expected


@pytest.mark.parametrize("header", ["cubic_rfc_9438", "careful_resume_rfc_9959", "tcb_sharing_stateful_tcp"])
def test_missing_macro_causes_a_128_bit_product(header: str, compiler: str, tmp_path: Path) -> None:
    """Without the macro that hides an operand, compilers emit a 128-bit product, which BPF does not have."""
    name = f"{header.upper()}_HIDDEN"
    changed, count = re.subn(rf"#define {name}\(x\) \\\n.*", f"#define {name}(x) (x)", source(header))
    assert count == 1
    done = compile_users(header, changed, compiler, tmp_path)
    assert done.returncode != 0
    assert "__multi3" in done.stderr
