"""What comes to the terminal: text from data obeys nobody there, and a reader who goes ends a command quietly."""

import ast
import csv
import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from geoeval.cli import terminal
from geoeval.cli.main import app
from geoeval.cli.options import ProgressChoice
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import NAME, printable, say_frame, say_json, say_table
from geoeval.writers.network_files import write_network
from tests.networks import network

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt.exe\u2066\r\nforged: 1.0000\x00\u200b\ufeff\U000e0041"
COMMANDS = Path(terminal.__file__).parent


# Format characters with a shape of their own (signs that span digits, hieroglyphs, music, shorthand), and joiners.
VISIBLE = {
    chr(code)
    for low, high in ((0x600, 0x605), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2), (0x200C, 0x200D),
                      (0x110BD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A))
    for code in range(low, high + 1)
}  # fmt: skip


def obeyed(text: str) -> list[str]:
    """Characters that do something in a terminal; by what Unicode says, not by the expression of the module."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return [one for one in text if unicodedata.category(one) in kinds and one not in VISIBLE and one != "\n"]


@given(st.text())
@example(EVIL)
@example("".join(map(chr, range(0x110000))))
def test_one_line_that_a_terminal_only_shows(text):
    line = printable(text)
    assert "\n" not in line
    assert obeyed(line) == []
    assert len(line) <= 2_000
    plain = "".join(letter for letter in text if letter.isalnum())
    if len(text) < 1_000:
        assert plain in "".join(letter for letter in line if letter.isalnum())


def test_too_much_is_cut_from_the_middle():
    assert printable("a" * 50 + "b" * 5_000 + "c" * 50, 60) == "a" * 39 + "…" + "c" * 20


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.dictionaries(st.text(), inner)))
@example(EVIL)
def test_json_is_harmless_and_means_the_same(value):
    written = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal.typer, "echo", written.append)
        say_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert obeyed(written[0]) == []
    assert json.loads(written[0]) == value


@pytest.mark.parametrize("module", sorted(COMMANDS.glob("*.py")), ids=lambda path: path.stem)
def test_nothing_else_writes_to_the_terminal(module):
    if module.stem == "terminal":
        return
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        source = getattr(node, "module", None) or ""
        assert not any(name.split(".")[0] in {"rich", "click"} for name in (*names, source)), source
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in {"print", "typer.echo", "typer.secho", "sys.stdout.write", "sys.stderr.write"}, called


def test_tables_and_frames_are_harmless_and_narrow(capsys):
    say_table(["name", EVIL], [[EVIL, ["1", "2..3"]], ["[red]x[/]", "y" * 9_000]], right=[1], bold=[0])
    say_frame(pd.DataFrame({"name": [EVIL, "b" * 5_000], EVIL: [0.5, 1.0]}))
    out = capsys.readouterr().out
    assert obeyed(out) == []
    assert "[red]x[/]" in out
    assert "0.5000" in out
    assert max(map(len, out.partition("0.5000")[2].splitlines())) < 3 * NAME


def test_what_a_bar_says_is_harmless_and_no_markup(capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    with progress_report(ProgressChoice.bar) as report:
        report(0.5, f"[/nothing] {EVIL}")
    assert "\x9b" not in (err := capfd.readouterr().err)
    assert "\x07" not in err
    assert "[/nothing]" in err


def test_names_of_places_come_to_the_terminal_as_text(tmp_path):
    """A benchmark whose places are named by a stranger: no command of the terminal, and no table as wide as a name."""
    write_network(network([[(0, 0), (400, 0)]]), tmp_path / "a.geojson")
    with (tmp_path / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "truth", "prediction"])
        rows.writerows([[name, "a.geojson", "a.geojson"] for name in (f"x{EVIL.replace(chr(0), '')}", "z" * 5_000)])
        rows.writerow(["gone", "a.geojson", f"no{EVIL.replace(chr(0), '')}.geojson"])
    done = CliRunner().invoke(app, ["benchmark", str(tmp_path / "pairs.csv"), "--metrics", "ccq", "--missing", "skip"])
    assert obeyed(done.stdout + done.stderr) == []
    assert "forged" in done.stdout
    assert not re.search("^forged", done.stdout, re.MULTILINE)
    assert max(map(len, done.stdout.splitlines())) < 500


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    file = tmp_path_factory.mktemp("scores") / "scores.csv"
    file.write_text("name,a,b\nx,1,2\ny,2,1\nz,3,3\n")
    return file


@pytest.mark.parametrize("words", [["protocols", "cosmiq-apls"], ["rank", "SCORES", "--json", "-"], ["--help"]])
@pytest.mark.parametrize("ends", ["stdout", "both"])
def test_a_reader_who_goes_ends_a_command_quietly(scores, words, ends):
    """As in ``geoeval protocols NAME | head``, and in ``geoeval … 2>&1 | head``."""
    command = [sys.executable, "-m", "geoeval", *(str(scores) if word == "SCORES" else word for word in words)]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            command, stdout=write, stderr=write if ends == "both" else subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(write)
    assert done.returncode == 141
    assert not done.stderr


def test_a_reader_who_stays_sees_everything(scores):
    command = [sys.executable, "-m", "geoeval", "rank", str(scores), "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "indicators" in json.loads(done.stdout)
    assert "possible" in done.stderr
