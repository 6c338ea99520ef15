"""Graphs as XML, JSON and pickles that would take all memory, or run what their author wrote."""

import struct

from tests.fuzz.hostile.row import entities_that_grow, hostile


@hostile("laughs.graphml", "roads", "declares the XML entity")
def graphml_of_entities_that_grow(path, _):
    path.write_text(entities_that_grow("<graphml><graph><node id='&a9;'/></graph></graphml>"))


@hostile("external.graphml", "roads", "declares the XML entity")
def graphml_of_an_external_entity(path, address):
    path.write_text(f'<!DOCTYPE x [<!ENTITY x SYSTEM "{address}">]><graphml><graph><node id="&x;"/></graph></graphml>')


@hostile("deep.json", "roads", "not a kind of file|not JSON|nest")
def json_of_brackets_inside_each_other(path, _):
    deep = "[" * 300_000 + "]" * 300_000
    path.write_text('{"nodes": ' + deep + ', "links": []}')


@hostile("laughs.p", "roads", "is expected|not a pickle")
def pickle_of_lists_that_grow(path, _):
    lists = [b"]q%c(h%ch%ch%ce" % (k, k - 1, k - 1, k - 1) for k in range(1, 60)]
    path.write_bytes(b"\x80\x04]q\x00K\x01a" + b"".join(lists) + b".")


@hostile("deep.p", "roads", "is expected|not a pickle")
def pickle_of_lists_inside_each_other(path, _):
    path.write_bytes(b"\x80\x04" + b"]" * 500_000 + b"a" * 499_999 + b".")


@hostile("long.p", "roads", "not a pickle")
def pickle_that_claims_endless_text(path, _):
    path.write_bytes(b"\x80\x04\x8d" + struct.pack("<Q", 2**62) + b"x.")


@hostile("run.p", "roads", "posix|system|not allowed|only")
def pickle_that_runs_a_command(path, _):
    path.write_bytes(b"cposix\nsystem\n(S'touch " + str(path.parent.parent / "ran").encode() + b"'\ntR.")
