"""A build backend (PEP 517) for the package. It needs the Go command and a C compiler, but no Python packages.

A wheel contains the C library, which Go builds from packages/c. A source archive contains the Go sources of that library in go/.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

NAME = "heed_robots"
HERE = Path(__file__).resolve().parent.parent
MODULE = HERE / "go" if (HERE / "go").is_dir() else HERE.parent.parent  # the Go module
MACOS = "12.0"
LIBRARY = "libheed.dylib" if sys.platform == "darwin" else "libheed.so"

METADATA = """\
Metadata-Version: 2.4
Name: heed-robots
Version: {version}
Summary: robots.txt, decided as RFC 9309 says
Project-URL: Source, https://github.com/heed-robots/heed
License-Expression: {licence}
{files}Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{readme}"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes a wheel, and returns its name."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, LIBRARY)
        _go("build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", str(library), "./packages/c")
        content = library.read_bytes()
    tag = f"py3-none-{_platform(content)}"
    files = {f"heed/{name}": data for name, data in _sources("src/heed")}
    files[f"heed/{LIBRARY}"] = content
    licences = {"LICENSE": MODULE / "LICENSE", "NOTICE": MODULE / "NOTICE", "LICENSE-Go": _licence_of_go()}
    info = f"{NAME}-{_version()}.dist-info"
    for name, path in licences.items():
        files[f"{info}/licenses/{name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = _metadata("Apache-2.0 AND BSD-3-Clause", licences)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: heed_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    name = f"{NAME}-{_version()}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            member = zipfile.ZipInfo(path)  # its date is 1980, so equal sources make equal wheels
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            wheel.writestr(member, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes a source archive, and returns its name."""
    root = f"{NAME}-{_version()}"
    licences = {"LICENSE": MODULE / "LICENSE", "NOTICE": MODULE / "NOTICE"}
    files = {name: path.read_bytes() for name, path in licences.items()}
    files["PKG-INFO"] = _metadata("Apache-2.0", licences)
    for name in ("pyproject.toml", "README.md"):
        files[name] = (HERE / name).read_bytes()
    for folder in ("backend", "src/heed"):
        files.update((f"{folder}/{name}", data) for name, data in _sources(folder))
    for path in _go_sources():
        files[f"go/{path.relative_to(MODULE).as_posix()}"] = path.read_bytes()
    name = f"{root}.tar.gz"
    with tarfile.open(Path(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(f"{root}/{path}")
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return name


def _go(*arguments: str) -> str:
    """Runs the Go command in the module, and returns what it prints."""
    environment = dict(os.environ, CGO_ENABLED="1", GOWORK="off", MACOSX_DEPLOYMENT_TARGET=MACOS)
    try:
        return subprocess.run(
            ["go", *arguments], cwd=MODULE, env=environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    except FileNotFoundError:
        raise SystemExit("to build heed-robots needs Go (https://go.dev/dl) and a C compiler; there is no command go") from None


def _go_sources() -> list[Path]:
    """Returns the files that the library is built from."""
    kinds = "GoFiles", "CgoFiles", "CFiles", "HFiles", "SFiles", "IgnoredGoFiles", "EmbedFiles"
    lists = "".join("{{range .%s}}{{$.Dir}}/{{.}}\n{{end}}" % kind for kind in kinds)
    listed = _go("list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}%s{{end}}{{end}}" % lists, "./packages/c")
    paths = [Path(line) for line in listed.splitlines() if line]
    return [MODULE / "go.mod", MODULE / "go.sum", MODULE / "LICENSE", MODULE / "NOTICE", *paths]


def _licence_of_go() -> Path:
    """Returns the licence of the runtime of Go, which the library contains. Some distributions keep it one folder up."""
    root = Path(_go("env", "GOROOT").strip())
    for path in (root / "LICENSE", root.parent / "LICENSE"):
        if path.is_file():
            return path
    raise SystemExit(f"the licence of Go is not in {root}; a wheel needs it")


def _sources(folder: str):
    """Yields the names and bytes of the source files in a folder."""
    for path in sorted((HERE / folder).iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            yield path.name, path.read_bytes()


def _version() -> str:
    """Returns the version: from PKG-INFO in a source archive, from the tag in a git folder, otherwise "0.0.0.dev0"."""
    info = HERE / "PKG-INFO"
    if info.is_file():
        return re.search("^Version: (.*)$", info.read_text(), re.MULTILINE)[1]
    try:
        tag = subprocess.run(
            ["git", "describe", "--tags", "--exact-match"], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ).stdout
    except OSError:
        tag = ""
    release = re.fullmatch(r"v(\d+\.\d+\.\d+)(?:-(rc)\.?(\d+))?\n", tag)
    return "".join(part or "" for part in release.groups()) if release else "0.0.0.dev0"


def _metadata(licence: str, licences) -> bytes:
    files = "".join(f"License-File: {name}\n" for name in licences)
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return METADATA.format(version=_version(), licence=licence, files=files, readme=readme).encode()


def _record(files, own: str) -> bytes:
    """Returns the list of all files with their hashes."""
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{own},,\n"]).encode()


def _platform(library: bytes) -> str:
    """Returns the platform on which a library runs, as wheels name it.

    On Linux it is manylinux_2_N if the library needs glibc 2.N or older, and no other library. On macOS it is the oldest
    version that Go 1.26 supports; the library is built for that version.
    """
    if sys.platform == "darwin":
        return f"macosx_{MACOS.replace('.', '_')}_{platform.machine()}"
    own = re.sub("[-.]", "_", sysconfig.get_platform())
    if not own.startswith("linux_"):
        return own
    minors = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)]
    others = set(re.findall(rb"\0(lib[\w.+-]+\.so(?:\.\d+)*)\0", library)) - {
        b"libc.so.6", b"libpthread.so.0", b"libdl.so.2", b"libresolv.so.2", b"libheed.so"
    }
    if not minors or others or b"GLIBC_PRIVATE" in library:
        return own
    return f"manylinux_2_{max(17, *minors)}_{own.removeprefix('linux_')}"
