"""A dataset: folders of worlds, read one by one when asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sailplan.datasets.formats.image import IMAGE_SUFFIXES
from sailplan.datasets.formats.png import read_png
from sailplan.datasets.lazy import LazySequence
from sailplan.errors import WorldError
from sailplan.files import FilePath, fault_line
from sailplan.graphs.grid.world import World

SPLIT_FOLDERS = ("train", "validation", "test")
"""The folders that part a dataset; each is a split of the same name."""

FLAT_SPLIT = "all"
"""The only split of a folder that holds its images itself."""


@dataclass(frozen=True)
class WorldDataset:
    """The image files of a folder, in splits; a world is read anew at each access."""

    folder: Path
    """Where the dataset lies."""
    files: Mapping[str, tuple[Path, ...]]
    """The images of each split in natural order: 2.png comes before 10.png."""

    @classmethod
    def open(cls, path: FilePath) -> WorldDataset:
        """List DIR/{train,validation,test} or, where there is none of them, DIR itself as the split "all".

        Hidden files and files that are not images by their suffix are passed over; so is an empty split.
        """
        folder = Path(path)
        if not folder.is_dir():
            raise WorldError(f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}")
        splits = [name for name in SPLIT_FOLDERS if (folder / name).is_dir()]
        listed = {name: _images(folder / name) for name in splits} or {FLAT_SPLIT: _images(folder)}
        files = {name: images for name, images in listed.items() if images}
        if not files:
            raise WorldError(f"{folder}: no image in it{' or in ' + ', '.join(splits) if splits else ''}")
        return cls(folder, files)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits that hold worlds."""
        return tuple(self.files)

    def split(self, name: str) -> Sequence[World]:
        """Return the worlds of a split, each read when asked for; slices are lazy too."""
        if name not in self.files:
            raise WorldError(f"{self.folder}: no split {name!r}; there are {', '.join(self.splits)}")
        return LazySequence(self.files[name], self._read)

    def _read(self, path: Path) -> World:
        return read_png(path, name=path.relative_to(self.folder).with_suffix("").as_posix())


def _images(folder: Path) -> tuple[Path, ...]:
    try:
        entries = list(folder.iterdir())
    except OSError as error:
        raise WorldError(f"{folder}: {fault_line(error)}") from error
    images = [path for path in entries if _is_image(path)]
    return tuple(sorted(images, key=_natural_order))


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in IMAGE_SUFFIXES and not path.name.startswith(".") and path.is_file()


def _natural_order(path: Path) -> tuple[list[str | int], str]:
    """Order names by their numbers, and names with equal numbers (1.png, 01.png) by their letters."""
    parts = re.split(r"(\d+)", path.name)
    return [int(part) if part.isdecimal() else part for part in parts], path.name
