"""The table of input options agrees with the readers, which is why nothing else has to know an option."""

import inspect
import math

import pytest

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError
from geoeval.readers import read_drawing, read_network, read_objects
from geoeval.readers.options import COMMON, INPUT_OPTIONS, InputOption, check_options
from geoeval.readers.registry import readers


def keywords(function):
    """Names and defaults of the options that a function takes."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}


def readers_of(content):
    return [reader.reads[content] for reader in readers() if content in reader.reads]


def test_every_keyword_of_every_reader_is_in_the_table_with_the_same_default():
    for content in CONTENTS:
        for read in readers_of(content):
            for name, default in keywords(read).items():
                assert INPUT_OPTIONS[name].default == default, (read.__name__, name)


@pytest.mark.parametrize("name", [name for name in INPUT_OPTIONS if name not in COMMON])
def test_the_table_says_which_contents_an_option_is_for(name):
    used = tuple(content for content in CONTENTS if any(name in keywords(read) for read in readers_of(content)))
    assert INPUT_OPTIONS[name].contents == used


@pytest.mark.parametrize("read", [read_network, read_objects, read_drawing])
def test_the_functions_for_users_have_the_defaults_of_the_table(read):
    own = keywords(read)
    assert len(own) > 4
    own.pop("aoi", None)
    assert own == {name: INPUT_OPTIONS[name].default for name in own}


def test_help_is_a_sentence_for_either_side():
    for option in INPUT_OPTIONS.values():
        sentence = option.help.format(side="reference")
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert ("reference" in sentence) == option.per_side


@pytest.mark.parametrize(
    ("name", "value"),
    [("pixel_size", 0), ("pixel_size", -1.0), ("pixel_size", math.inf), ("pixel_size", math.nan), ("pixel_size", "a"),
     ("width", 0), ("width", [1]), ("min_spur", -0.1), ("min_spur", math.nan), ("simplify", -1),
     ("threshold", math.nan), ("node", "all"), ("node", ["ends"]), ("links", "all"), ("limits", "pixels=0"),
     ("limits", "pixels=many"), ("limits", "seconds=5"), ("limits", 5), ("limits", {"pixels": None})],
)  # fmt: skip
def test_values_that_make_no_sense_are_refused_by_name(name, value):
    with pytest.raises(ParameterError, match=rf"^{name}.*; (give|choose)"):
        check_options({name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("pixel_size", 0.3), ("pixel_size", 2), ("min_spur", 0), ("min_spur", math.inf), ("threshold", -5),
     ("node", "none"), *((name, option.default) for name, option in INPUT_OPTIONS.items()),
     *((name, None) for name in INPUT_OPTIONS)],
)  # fmt: skip
def test_values_that_make_sense_are_taken(name, value):
    check_options({name: value})


def test_an_unknown_option_is_refused_with_the_nearest_one():
    with pytest.raises(ParameterError, match=r"unknown input option 'pixelsize'; did you mean pixel_size\?"):
        check_options({"crs": None, "pixelsize": 1.0})
    with pytest.raises(ParameterError, match="There are crs, layer, pixel_size"):
        check_options({"zzz": 1})


def test_options_cannot_be_changed():
    with pytest.raises(AttributeError):
        InputOption("a", str, None, "Help.").default = 1
