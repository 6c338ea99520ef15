"""Output appears under its name only when it is complete.

A file or directory is written to a temporary directory next to its destination, whose name begins with ``.geoeval-``,
and renamed when it is complete. A run that fails or is interrupted removes the temporary directory. A run that is
killed leaves it behind: nobody mistakes it for a result, it does not get in the way of later runs, and it can be
deleted.

A directory written this way contains a list of its files, so that a later run can replace it without deleting files
that somebody else put there.
"""

import glob
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from geoeval.contents import SIDES
from geoeval.exceptions import OutputError
from geoeval.signals import undisturbed

M = TypeVar("M")
P = ParamSpec("P")
R = TypeVar("R")

PREFIX = ".geoeval-"
FILE_LIST = f"{PREFIX}files"

# Files that belong to another one of the same name: written with it, or added by QGIS, GDAL and file managers.
SHAPEFILE_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".qpj", ".qix", ".sbn", ".sbx", ".idm", ".ind", ".shp.xml")
SIDE_FILES = (*SHAPEFILE_PARTS, ".qml", ".qmd", ".sld", ".xml", ".aux.xml", ".gpkg-wal", ".gpkg-shm", ".gpkg-journal")
DATABASE_PARTS = ("-wal", "-shm", "-journal")
_PLACES_OF_IMAGES = (".prj", ".wld", ".tfw", ".tifw", ".pgw", ".pngw", ".jgw", ".jpgw", ".tab", ".ovr")
DESKTOP_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".directory"})

# Stands for the name of a place or tile in a pattern of files.
NAME = "{name}"
# How keywords end whose values may be files that are read.
INPUT_WORDS = (*SIDES, "aoi", "image", "georeference")

# What an output may be called, by what it is. With another name, another program would open it, or none.
_FEATURES = (".shp", ".gpkg", ".geojson", ".fgb", ".parquet")
SUFFIXES = {
    "results": (".json",),
    "reports": (".html", ".htm"),
    "runs": (".gpkg",),
    "tables": (".csv",),
    "pictures": (".png", ".svg", ".pdf"),
    "confirmed errors": (".geojson", ".osm", ".shp", ".gpkg", ".csv"),
    "features": _FEATURES,
    "objects": _FEATURES,
    "roads": (*_FEATURES, ".geoparquet", ".graph", ".graphml", ".json"),
    "lines": (".txt", ".csv", ".tsv", ".dat", ".lines", ".svg", *_FEATURES),
}

# In a name: line breaks and the like, what begins the parameters of an address, bytes that are no UTF-8; and bytes of
# a name that leaves no room for the endings that libraries add.
_ODD = re.compile("[\x00-\x1f\x7f;\ud800-\udfff]")
_LONG = 200


@dataclass(frozen=True)
class _Output:
    """What is complete and has no name yet: where it is written aside, how it gets its name, and if it may get it."""

    temporary: ExitStack
    final: Path
    place: Callable[[], None]
    check: Callable[[], object]
    # A directory that is written aside.
    directory: Path | None = None
    # Places of the other parts of a file.
    parts: tuple[Path, ...] = ()
    # Other files of an earlier run, which go when this one gets its name.
    obsolete: tuple[Path, ...] = ()


# Finds the files that are read, and that nothing may be written over.
_inputs: ContextVar[tuple[Callable[[], list[Path]], ...]] = ContextVar("_inputs", default=())
# What waits for the other outputs of the run.
_waiting: ContextVar[list[_Output] | None] = ContextVar("_waiting", default=None)
_temporaries: set[Path] = set()
_placed: list[Path] = []
# Handles of files that are held while output is written: without any left it could be neither placed nor cleared away.
_spare: list[int] = []


@contextmanager
def together() -> Iterator[None]:
    """Let all files and directories that are written in this block appear at its end; after an error none does.

    A file in a directory that is written in this block too is written into it. In a block within such a block they
    wait for the end of the outer one.
    """
    if _waiting.get() is not None:
        yield
        return
    waiting: list[_Output] = []
    before = _waiting.set(waiting)
    try:
        yield
        _place_all(waiting)
    finally:
        _waiting.reset(before)
        for one in reversed(waiting):
            one.temporary.close()


@contextmanager
def keeping(inputs: Any) -> Iterator[None]:
    """Let nothing in this block be written over inputs, as users give them, whatever the flags.

    Files are known by what they are, not by their names: links lead to them, and so do other ways of writing a path.
    They are looked for only where something would be replaced. Blocks inside each other add up.
    """
    before = _inputs.set((*_inputs.get(), cache(partial(_files_of_input, inputs))))
    try:
        yield
    finally:
        _inputs.reset(before)


def keeps_inputs(write: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """Let a function that writes a result or a map refuse to write it over what it was made from."""

    @wraps(write)
    def wrapper(made: M, /, *args: P.args, **options: P.kwargs) -> R:
        with keeping(_sources_of(made)):
            return write(made, *args, **options)

    return wrapper


def _sources_of(made: Any) -> list[Any]:
    """What a map, a result or a benchmark says that it was made from."""
    call = (getattr(made, "run", None) or {}).get("call") or {}
    asked = [value for name, value in call.items() if name.endswith(INPUT_WORDS)]
    sides = [getattr(made, side, None) for side in SIDES]
    facts = [side.get("source") for side in sides if isinstance(side, Mapping)]
    return [*asked, *facts, getattr(made, "source", None), getattr(made, "sources", None)]


def _files_of_input(given: Any) -> list[Path]:
    """The files of an input: of a folder, of a pattern, of several inputs, and those that belong to a file."""
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, list | tuple):
        return [path for one in given for path in _files_of_input(one)]
    if not isinstance(given, str | Path):
        return []
    try:
        if NAME in str(given):
            first, *rest = (glob.escape(part) for part in str(given).split(NAME))
            return [path for one in glob.glob("*".join((first, *rest))) for path in _with_side_files(Path(one))]  # noqa: PTH207 - text
        path = Path(given)
        return [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else _with_side_files(path)
    except (OSError, ValueError):  # words that cannot be a path
        return []


def _with_side_files(path: Path) -> list[Path]:
    """A file, and those beside it that are read with it: parts of a shapefile, where an image lies, a journal."""
    names = {path.name, *(path.name + part for part in (*DATABASE_PARTS, ".aux.xml"))}
    beside = SHAPEFILE_PARTS if path.suffix.lower() in SHAPEFILE_PARTS else _PLACES_OF_IMAGES
    names |= {path.stem + part for part in beside}
    return [one for name in sorted(names) if os.path.isfile(one := path.parent / name)]  # noqa: PTH113 - no error where a name is too long


@contextmanager
def new_file(path: str | Path, *, overwrite: bool = False, obsolete: Iterable[Path] = ()) -> Iterator[Path]:
    """Write a file to the temporary path that this yields; it is moved to its destination at the end.

    The temporary path has the name of the file, or a plain one where that has something that libraries trip over.

    Files written next to that path (the parts of a shapefile) are moved too, before the file itself. The parts of a
    shapefile or database that is replaced are removed, so that old and new parts never mix. Missing parent directories
    are created. An error in the ``with`` block leaves everything as it was.

    ``obsolete`` are other files of an earlier run that are removed when this one appears.

    Raises
    ------
    OutputError
        The file exists and ``overwrite`` is not set, or it cannot be written.
    """
    named = check_file(path, overwrite=overwrite)
    final = _in_waiting_directory(named)
    with ExitStack() as own:
        temporary = own.enter_context(temporary_beside(final, named))
        is_plain = not _ODD.search(final.name) and len(os.fsencode(final.name)) < _LONG
        unfinished = temporary / (final.name if is_plain else f"output{final.suffix}")
        yield unfinished
        parts = {
            part: final.with_name(part.name.replace(unfinished.stem, final.stem, 1))
            for part in sorted(temporary.iterdir())
            if part != unfinished
        }
        check = partial(_check_parts, final, parts.values(), overwrite=overwrite)
        place = partial(_place_file, unfinished, final, parts)
        # What lies in a directory that is written anew goes with the earlier one.
        others = tuple(obsolete) if final == named else ()
        _place_in_turn(_Output(own, final, place, check, parts=tuple(parts.values()), obsolete=others))


@contextmanager
def new_directory(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Write files to the temporary directory that this yields; it is renamed to its destination at the end.

    With ``overwrite`` an earlier directory is removed after the new one is complete, and only if geoeval wrote every
    file in it. An error in the ``with`` block leaves everything as it was.

    Raises
    ------
    OutputError
        The directory exists and ``overwrite`` is not set, or it contains other files, or it cannot be written.
    """
    named = check_directory(path, overwrite=overwrite)
    final = _in_waiting_directory(named)
    with ExitStack() as own:
        temporary = own.enter_context(temporary_beside(final, named))
        made = temporary / "new"
        made.mkdir()
        yield made
        _write_list(made / FILE_LIST, _files(made))
        check = partial(check_directory, final, overwrite=overwrite)
        _place_in_turn(_Output(own, final, partial(_place_directory, temporary, final), check, made))


def _in_waiting_directory(final: Path) -> Path:
    """The place of a file in the directory that waits to be placed, if it belongs into one."""
    for one in _waiting.get() or ():
        if one.final == final:
            raise OutputError(f"{final} is the name of two outputs; give each a name of its own")
        if one.directory is not None and one.final in final.parents:
            return one.directory / final.relative_to(one.final)
    return final


def _place_in_turn(output: _Output) -> None:
    """Give output its name: at once, or at the end of ``together``, but for what lies in an unfinished directory."""
    waiting = _waiting.get()
    if waiting is None or _is_unfinished(output.final):
        _place_all([output])
    else:
        kept = output.temporary.pop_all()
        waiting.append(replace(output, temporary=kept))


def _is_unfinished(final: Path) -> bool:
    return any(part.startswith(PREFIX) for part in final.parent.parts)


def _place_all(outputs: list[_Output]) -> None:
    """Give outputs their names; after an error everything is as it was.

    Where there are several, or files of several parts, all earlier ones are set aside before: whenever this is killed,
    what is there is of one run.
    """
    _let_go_of_spare()
    with undisturbed(), ExitStack() as locks, ExitStack() as undo:
        for folder in sorted({one.final.parent for one in outputs}):
            locks.enter_context(_alone_in(folder))
        earlier: list[Path] = []
        for one in outputs:
            with _reported(one.final):
                one.check()
                parts = [] if one.directory else dict.fromkeys((*_parts_of(one.final), *one.parts, *one.obsolete))
                if parts or len(outputs) > 1:
                    earlier += [_set_aside(path, undo) for path in (one.final, *parts) if path.exists()]
        for one in outputs:
            for path in (one.final, *one.parts):
                if not path.exists():  # else it is replaced in one step
                    undo.callback(_take_away, path)
            with _reported(one.final):
                one.place()
        undo.pop_all()
        _placed.extend(one.final for one in outputs if not _is_unfinished(one.final))
        for path in earlier:
            _take_away(path)


def _set_aside(path: Path, undo: ExitStack) -> Path:
    """Rename what is there; ``undo`` names it back."""
    aside = path.with_name(f"{PREFIX}{secrets.token_hex(6)}-old{path.suffix}")
    path.rename(aside)
    undo.callback(aside.replace, path)
    return aside


def _take_away(path: Path) -> None:
    """Delete a directory, or a file with its parts."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        for one in (path, *_parts_of(path)):
            with suppress(OSError):
                one.unlink()


def _check_parts(final: Path, parts: Iterable[Path], *, overwrite: bool) -> None:
    check_file(final, overwrite=overwrite)
    parts = list(parts)
    _refuse_inputs(final, parts)
    for place in parts:
        if not overwrite and place.exists():
            raise _exists(place, "file")


def _place_file(unfinished: Path, final: Path, parts: dict[Path, Path]) -> None:
    """Without the main file the other parts are no output, so it comes last."""
    for part, place in parts.items():
        part.replace(place)
    unfinished.replace(final)
    _remember(final, parts.values())


def _place_directory(temporary: Path, final: Path) -> None:
    made, old = temporary / "new", temporary.with_name(f"{temporary.name}-old")
    # Outside the directory that is always cleared: the earlier output goes only once the new one is in place.
    try:
        if final.exists():
            final.rename(old)
        made.rename(final)
    except BaseException:
        if old.exists() and not final.exists():
            old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)


def check_output(path: str | Path, what: str, *, overwrite: bool = False) -> Path:
    """The path of a file to be written, as ``check_file``, with a suffix that ``SUFFIXES`` has for what it is."""
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES[what]:
        *others, last = SUFFIXES[what]
        endings = f"{', '.join(others)} or {last}" if others else last
        raise OutputError(
            f"{file}: {what} are not written as {file.suffix or 'that'}; give a name that ends in {endings}"
        )
    check_file(file, overwrite=overwrite)
    return file


def check_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of a file to be written; raises ``OutputError`` early, before the long work begins."""
    final = _real(path)
    if final.is_dir():
        msg = f"{final} is a directory; give the name of a file"
        raise OutputError(msg)
    if final.exists() and not final.is_file():
        msg = f"{final} is not a regular file; give another name"
        raise OutputError(msg)
    parts = _parts_of(final)
    _refuse_inputs(final, [final, *parts])
    if not overwrite:
        for there in (final, *parts):
            if there.exists():
                raise _exists(there, "file")
    return final


def _refuse_inputs(final: Path, replaced: Iterable[Path]) -> None:
    """Raise ``OutputError`` where a file that would be replaced is one that is read."""
    there = {identity: path for path in replaced if (identity := _identity(path)) is not None}
    for own in _kept_inputs() if there else ():
        found = there.get(_identity(own) or (0, 0))
        if found is not None:
            part = "" if found == final else f" (its part {found.name})"
            raise OutputError(f"{final}{part} is an input of this run and is never replaced; give another file")


def _kept_inputs() -> Iterator[Path]:
    for find in _inputs.get():
        yield from find()


def _identity(path: Path) -> tuple[int, int] | None:
    """What a file is, whatever it is called; ``None`` where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def check_directory(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of a directory to be written; raises ``OutputError`` early, before the long work begins."""
    final = _real(path)
    if not final.exists():
        return final
    if not final.is_dir():
        msg = f"{final} is a file; give the name of a directory"
        raise OutputError(msg)
    own = _identity(final)
    for read in _kept_inputs():
        if any(_identity(one) == own for one in (read, *Path(os.path.realpath(read)).parents)):
            raise OutputError(f"{final} holds {read.name}, an input of this run; give another directory")
    if not overwrite:
        raise _exists(final, "directory")
    others = foreign_files(final)
    if others:
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        msg = f"{final} contains files that geoeval did not write ({shown}); move them or give another directory"
        raise OutputError(msg)
    return final


def foreign_files(directory: Path) -> list[str]:
    """Files in the directory and below that geoeval did not write: relative paths, sorted."""
    try:
        listed = (directory / FILE_LIST).read_text(encoding="utf-8").splitlines()
    except OSError:
        listed = []
    ours = set(listed)
    stems = {(Path(name).parent, Path(name).name.split(".")[0]) for name in listed}

    def is_ours(name: str) -> bool:
        relative = Path(name)
        stem, dot, suffix = relative.name.partition(".")
        return (
            name in ours
            or any(part.startswith(PREFIX) for part in relative.parts)
            or relative.name in DESKTOP_FILES
            or (dot + suffix in SIDE_FILES and (relative.parent, stem) in stems)
        )

    return sorted(name for name in _files(directory) if not is_ours(name))


@contextmanager
def temporary_beside(final: Path, named: Path | None = None) -> Iterator[Path]:
    """A temporary directory next to the destination; an ``OSError`` in it becomes an ``OutputError`` about ``named``.

    Directories above that had to be made for it are removed again where nothing was put into them.
    """
    temporary = final.parent / f"{PREFIX}{secrets.token_hex(6)}"
    missing = [folder for folder in final.parents if not folder.exists()]
    # Known before it is there: an interrupt may come before anybody holds what this yields.
    _temporaries.add(temporary)
    try:
        with _reported(named or final):
            _hold_spare()
            final.parent.mkdir(parents=True, exist_ok=True)
            temporary.mkdir()
            yield temporary
    finally:
        _let_go_of_spare()
        with undisturbed():
            shutil.rmtree(temporary, ignore_errors=True)
            _temporaries.discard(temporary)
            with suppress(OSError):
                for folder in missing:
                    folder.rmdir()


def _hold_spare() -> None:
    """Hold four handles; an ``OSError`` where not even a dozen more could be had, with which libraries may crash."""
    _spare.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(16 - len(_spare)))
    while len(_spare) > 4:
        os.close(_spare.pop())


def _let_go_of_spare() -> None:
    while _spare:
        os.close(_spare.pop())


def is_anything_written() -> bool:
    """Whether this process has given any output its name."""
    return bool(_placed)


def clear_temporaries() -> None:
    """Remove what a run that was interrupted could not clear away itself."""
    while _temporaries:
        shutil.rmtree(_temporaries.pop(), ignore_errors=True)


@contextmanager
def _reported(final: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        msg = f"{str(final)!r} cannot be written: the name is not UTF-8, which libraries need; give another name"
        raise OutputError(msg) from error
    except OSError as error:
        reason = error.strerror or str(error)
        msg = f"{final} cannot be written: {reason}; check permissions and free space, or write somewhere else"
        raise OutputError(msg) from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Only one run at a time gives names in a folder, where the system has such locks."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # not a system, or not a folder, with locks: checks and renames are all there is
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _real(path: str | Path) -> Path:
    """The path with symbolic links resolved, so that their target is replaced; an error if it cannot be written."""
    try:
        final = Path(os.path.realpath(path))
        above = next(folder for folder in final.parents if folder.exists())
        final.exists()
    except (OSError, ValueError) as error:
        msg = f"{str(path)!r} cannot be written: {getattr(error, 'strerror', None) or error}; give another name"
        raise OutputError(msg) from error
    if not above.is_dir():
        msg = f"{final} cannot be written: {above} is not a directory; give another name"
        raise OutputError(msg)
    if not os.access(above, os.W_OK | os.X_OK):
        msg = f"{final} cannot be written: no permission to write in {above}; write somewhere else"
        raise OutputError(msg)
    return final


def _exists(path: Path, what: str) -> OutputError:
    return OutputError(f"{path} exists already; {{give:overwrite=True}}, or give another {what}")


def _files(directory: Path) -> list[str]:
    """All files and links in the directory and below, relative to it; empty directories do not count."""
    found = []
    for folder, folders, names in os.walk(directory):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        found += [(Path(folder) / name).relative_to(directory).as_posix() for name in (*names, *links)]
    return found


def _write_list(path: Path, names: Iterable[str]) -> None:
    path.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


def _remember(final: Path, parts: Iterable[Path]) -> None:
    """Add a file to the list of the directory, if geoeval wrote the directory."""
    known = final.parent / FILE_LIST
    if known.is_file():
        names = known.read_text(encoding="utf-8").splitlines()
        unfinished = known.with_name(f"{PREFIX}{secrets.token_hex(6)}")
        _write_list(unfinished, {*names, final.name, *(part.name for part in parts)})
        unfinished.replace(known)


def _parts_of(final: Path) -> list[Path]:
    """Existing files that belong to this one: the other parts of a shapefile, the journal of a database."""
    names = [final.name + part for part in DATABASE_PARTS]
    if final.suffix.lower() == ".shp":
        names += [final.stem + part for part in SHAPEFILE_PARTS if part != ".shp"]
    return sorted(path for name in names if os.path.isfile(path := final.parent / name))  # noqa: PTH113 - no error where a name is too long
