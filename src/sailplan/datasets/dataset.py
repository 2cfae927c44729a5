"""A dataset: folders of maps, each read when it is accessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sailplan.datasets.formats.read import READERS, read_world
from sailplan.datasets.formats.ros import YAML_SUFFIXES, is_ros_map, named_image
from sailplan.datasets.scenario import LazySequence
from sailplan.errors import WorldError
from sailplan.files import FilePath, exists, fault_line, is_folder
from sailplan.graphs.grid.world import Unknown, World, check_unknown

SPLIT_FOLDERS = ("train", "validation", "test")
"""The sub-folders that divide a dataset; each is a split of the same name."""

FLAT_SPLIT = "all"
"""The only split of a folder that holds its maps itself."""


@dataclass(frozen=True)
class WorldDataset:
    """The maps of a folder, in splits; a world is read from its file at each access.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from sailplan.datasets import generate_world, write_world
    >>> folder = Path(mkdtemp())
    >>> for index in range(3):
    ...     write_world(generate_world("forest", 0, index), folder / "test" / f"{index}.png")
    >>> dataset = WorldDataset.open(folder)
    >>> dataset.splits, len(dataset.split("test"))
    (('test',), 3)
    """

    folder: Path
    """The folder of the dataset."""
    files: Mapping[str, tuple[Path, ...]]
    """The map files of each split in natural order: 2.png comes before 10.png."""
    unknown: Unknown | None = None
    """What unknown cells count as; None: blocked in ROS maps, free in plain images."""

    @classmethod
    def open(cls, path: FilePath, *, unknown: Unknown | None = None) -> WorldDataset:
        """List the maps in the sub-folders train, validation and test or, without any of these, in the folder itself.

        A map is any file that `read_world` reads, and formats can be mixed: images, MovingAI `.map` files and the
        `.yaml` files of ROS maps. The image that a `.yaml` file names is not a map of its own, and a `.yaml` file
        without the key `image` is not a map. Hidden files, other files and empty splits are skipped.

        Parameters
        ----------
        path
            The folder.
        unknown
            Whether unknown cells count as free or as blocked. By default each format keeps its own rule: blocked in
            ROS maps, and by their gray value (205, so free) in plain images.

        Returns
        -------
        WorldDataset
            Its splits are named after the sub-folders; a folder without sub-folders is the split "all".

        Raises
        ------
        WorldError
            If the folder cannot be read or holds no map.
        """
        folder = Path(path)
        if not is_folder(folder):
            raise WorldError(f"{folder}: {'not a folder' if exists(folder) else 'no such folder'}")
        splits = [name for name in SPLIT_FOLDERS if (folder / name).is_dir()]
        listed = {name: _maps(folder / name) for name in splits} or {FLAT_SPLIT: _maps(folder)}
        files = {name: maps for name, maps in listed.items() if maps}
        if not files:
            raise WorldError(f"{folder}: no image or map in it{' or in ' + ', '.join(splits) if splits else ''}")
        return cls(folder, files, None if unknown is None else check_unknown(unknown))

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits that hold worlds."""
        return tuple(self.files)

    def split(self, name: str) -> Sequence[World]:
        """Return the worlds of a split, each read when it is accessed; slices are lazy too.

        Raises
        ------
        WorldError
            If there is no such split; on access, if a file cannot be read.
        """
        if name not in self.files:
            raise WorldError(f"{self.folder}: no split {name!r}; there are {', '.join(self.splits)}")
        return LazySequence(self.files[name], self._read)

    def _read(self, path: Path) -> World:
        unknown = self.unknown or ("blocked" if path.suffix.lower() in YAML_SUFFIXES else "free")
        return replace(read_world(path, unknown=unknown), name=path.relative_to(self.folder).with_suffix("").as_posix())


def _maps(folder: Path) -> tuple[Path, ...]:
    try:
        files = [path for path in folder.iterdir() if _is_map_file(path)]
    except OSError as error:
        raise WorldError(f"{folder}: {fault_line(error)}") from error
    yamls = {path for path in files if path.suffix.lower() in YAML_SUFFIXES}
    skipped = {path for path in yamls if not is_ros_map(path)}
    skipped |= {image for path in yamls - skipped if (image := named_image(path)) is not None}
    return tuple(sorted((path for path in files if path not in skipped), key=_natural_order))


def _is_map_file(path: Path) -> bool:
    return path.suffix.lower() in READERS and not path.name.startswith(".") and path.is_file()


def _natural_order(path: Path) -> tuple[list[str | int], str]:
    """Order names by their numbers, and names with equal numbers (1.png, 01.png) by their letters."""
    parts = re.split(r"(\d+)", path.name)
    return [int(part) if part.isdecimal() else part for part in parts], path.name
