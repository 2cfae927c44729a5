"""What MkDocs cannot do by itself: pages of the Python reference, and links to files outside of this folder.

The reference has a page for each package that exports names. They are read from the sources and not imported: most
packages load their names from elsewhere, and `sailplan` itself loads them on first use. A name that several packages
export is documented once, in the first of them, and the others link to it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
OUTSIDE = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "benchmarks/*.py",
    "examples/*",
]
"""The files of the repository that pages may link to; they are part of the site."""


class Place(NamedTuple):
    """Where a name is defined."""

    module: str
    name: str

    @property
    def path(self) -> str:
        """The name with its module."""
        return f"{self.module}.{self.name}"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the reference under its entry in the navigation."""
    for section in config.nav or []:
        for entry in next(iter(section.values())):
            if isinstance(entry, dict) and "Python" in entry:
                entry["Python"] = [entry["Python"], *(f"api/{package}.md" for package in packages())]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files from outside of this folder, and the reference."""
    for path in outside():
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    for name, content in reference().items():
        files.append(File.generated(config, f"api/{name}.md", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let `../examples/x.py` lead to the copy in the site, and a link from the root of the repository to a page."""
    if Path(page.file.src_uri).name in OUTSIDE:
        return markdown.replace("](docs/", "](")
    return re.sub(r"\]\(\.\./", "](", markdown) if "/" not in page.file.src_uri else markdown


def outside() -> list[Path]:
    """The files of the repository that pages may link to."""
    return sorted(path for pattern in OUTSIDE for path in ROOT.glob(pattern) if path.is_file())


def reference() -> dict[str, str]:
    """The pages of the reference by name, as Markdown."""
    documented: dict[Place, str] = {}
    pages = {}
    for package in packages():
        homes = {name: home(package, name) for name in exported(package)}
        first = {name: place for name, place in homes.items() if place not in documented}
        documented |= dict.fromkeys(first.values(), package)
        elsewhere = {name: documented[place] for name, place in homes.items() if name not in first}
        pages[package] = page_of(package, first, {name: homes[name] for name in elsewhere})
    return {"index": overview(), **pages}


def page_of(package: str, first: dict[str, Place], elsewhere: dict[str, Place]) -> str:
    """The page of a package: its docstring, what is documented here, and links to what is documented elsewhere."""
    parts = [
        f"# {package}",
        "",
        f"::: {package}",
        "    options:",
        "      members: false",
        "      show_root_heading: false",
    ]
    if elsewhere:
        links = ", ".join(f"[`{name}`][{place.path}]" for name, place in elsewhere.items())
        parts += ["", f"It also exports {links}."]
    for place in first.values():
        parts += ["", constant(place) or f"::: {place.path}"]
    return "\n".join([*parts, ""])


def constant(place: Place) -> str:
    """The entry of a name that is defined with others, as in `A, B = range(2)`; empty for another.

    mkdocstrings does not find such names.
    """
    body = tree(place.module).body
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign) and place.name in names_of(node.targets[0]):
            text = ast.literal_eval(after.value) if isinstance(after, ast.Expr) else ""
            return f"## `{place.name}` {{ #{place.path} }}\n\n```python\n{ast.unparse(node)}\n```\n\n{text}"
    return ""


def names_of(target: ast.expr) -> list[str]:
    """The names of a tuple on the left of an assignment."""
    return [one.id for one in target.elts if isinstance(one, ast.Name)] if isinstance(target, ast.Tuple) else []


def overview() -> str:
    """The list of the packages."""
    lines = [f"| [{package}]({package}.md) | {summary(package)} |" for package in packages()]
    text = "Every name that a package exports, with its parameters. The package `sailplan` has what most programs need."
    return "\n".join(["# Python reference", "", text, "", "| package | |", "|---|---|", *lines, ""])


def summary(package: str) -> str:
    """The first line of the docstring of a package."""
    return (ast.get_docstring(tree(package)) or "").partition("\n")[0]


def packages() -> list[str]:
    """The packages that export names, outer ones first."""
    folders = [path.parent.relative_to(SOURCES) for path in SOURCES.glob("sailplan/**/__init__.py")]
    names = sorted((".".join(folder.parts) for folder in folders), key=lambda name: (name.count("."), name))
    return [name for name in names if exported(name)]


@cache
def exported(package: str) -> list[str]:
    """The names in `__all__`."""
    for node in tree(package).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def home(module: str, name: str) -> Place:
    """The module that defines a name, which other modules import from one another."""
    for source, original, known_as in imports(module):
        if known_as == name and source.startswith("sailplan") and source != module:
            return home(source, original)
    return Place(module, name)


def imports(module: str) -> Iterator[tuple[str, str, str]]:
    """The names that a module imports: from where, and under which name there and here."""
    for node in statements(tree(module).body):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield node.module, alias.name, alias.asname or alias.name


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under a condition."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from statements(node.body)


@cache
def tree(module: str) -> ast.Module:
    """The syntax tree of a module or package."""
    base = SOURCES.joinpath(*module.split("."))
    file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))
