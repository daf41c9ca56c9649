"""Every function of every self-contained header compiles for BPF, by clang and by the pinned zig, without root."""

import importlib.util
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
    """Return a C file in which a function with external linkage calls each function of a header.

    BPF functions take at most five arguments and return no struct, so each caller takes all arguments in a struct, and
    the functions of the header are inlined.
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
    """The folder ``bpf`` of the archive of the port needs nothing else of the repository."""
    if not shutil.which("clang") or not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("needs clang and libbpf-dev, which are not installed")
    contents.port(tmp_path / "c")
    subprocess.run(["make", "--silent", "-C", str(tmp_path / "c" / "bpf"), f"OUT={tmp_path / 'out'}"], check=True)
    names = {each.name for each in everything()}
    assert {path.stem for path in (tmp_path / "out").glob("*.o")} == names


@pytest.mark.parametrize("header", ["cubic_rfc_9438", "careful_resume_rfc_9959", "tcb_sharing_stateful_tcp"])
def test_a_128_bit_product_is_found(header: str, compiler: str, tmp_path: Path) -> None:
    """Without the macro that hides an operand, compilers emit a 128-bit product, which BPF does not have."""
    name = f"{header.upper()}_HIDDEN"
    changed, count = re.subn(rf"#define {name}\(x\) \\\n.*", f"#define {name}(x) (x)", source(header))
    assert count == 1
    done = compile_users(header, changed, compiler, tmp_path)
    assert done.returncode != 0
    assert "__multi3" in done.stderr
