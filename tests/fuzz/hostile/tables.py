"""Tables and results of text that would take all memory, or minutes."""

import json

from tests.fuzz.hostile.row import hostile


@hostile("nested.csv", "roads", "is not WKT")
def wkt_of_collections_inside_each_other(path, _):
    path.write_text('ImageId,WKT_Pix\na,"' + "GEOMETRYCOLLECTION(" * 100_000 + ")" * 100_000 + '"\n')


@hostile("curves.csv", "roads", "is not WKT")
def wkt_of_curves_inside_each_other(path, _):
    path.write_text('ImageId,WKT_Pix\na,"MULTICURVE(' + "COMPOUNDCURVE(" * 100_000 + ")" * 100_001 + '"\n')


@hostile("digits.csv", "roads", "")
def wkt_of_a_number_without_an_end(path, _):
    digits = "9" * 5_000_000
    path.write_text(f'ImageId,WKT_Pix\na,"LINESTRING (0 0, {digits} 1)"\n')


@hostile("wide.csv", "roads", "columns.*limits.{1,2}columns=")
def table_of_very_many_columns(path, _):
    path.write_text(",".join(f"c{k}" for k in range(300_000)) + "\n" + ",".join(["1"] * 300_000) + "\n")


@hostile("quote.csv", "objects", "is not a table")
def table_of_a_quote_without_an_end(path, _):
    path.write_text('ImageId,WKT_Pix\n"' + "x" * 10_000_000)


@hostile("wide.csv", "scores", "columns.*limits.{1,2}columns=")
def scores_of_very_many_columns(path, _):
    path.write_text("name," + ",".join(f"c{k}" for k in range(100_000)) + "\na," + ",".join(["1"] * 100_000) + "\n")


@hostile("long.csv", "scores", "rows.*limits.{1,2}items=")
def scores_of_very_many_items(path, _):
    path.write_text("name,f1\n" + "".join(f"n{k},{k % 97}\n" for k in range(30_000)))


@hostile("deep.json", "scores", "cannot be read")
def result_of_brackets_inside_each_other(path, _):
    path.write_text('{"kind": "roads", "scores": ' + "[" * 300_000)


@hostile("wide.json", "scores", "scores.*limits.{1,2}columns=")
def result_of_very_many_scores(path, _):
    scores = {f"m{k}": {f"s{j}": j for j in range(50)} for k in range(2000)}
    path.write_text(json.dumps({"kind": "roads", "scores": scores}))
