"""What the engine says, in the words of the dialog. No QGIS here.

The engine speaks to people at the command line and names its options. Here every option has a parameter with a title,
or it does not exist: then the part of the message about it is left out.
"""

import re

# What stands for an option in the engine's messages; {NAME} is the title of that parameter. The first that fits counts,
# and only if the algorithm has the parameter.
REPLACEMENTS = (
    (r"give --aoi all\b", 'tick "{WHOLE}"'),
    (r"--aoi (all|reference|prediction|overlap|bounds)\b", '"{WHOLE}"'),
    (r"with --aoi\b", 'with "{AREA}"'),
    (r"--aoi\b( FILE| RESULT\.json)?", '"{AREA}"'),
    (r"--align removes", 'ticking "{ALIGN}" removes'),
    (r"--align\b", '"{ALIGN}"'),
    (r"leave out --crs \(auto\)", 'leave "{CRS}" empty'),
    (r"--crs\b( auto| EPSG:n)?", '"{CRS}"'),
    (r"--reference-crs\b( EPSG:n)?", '"{REFERENCE_CRS}"'),
    (r"--prediction-crs\b( EPSG:n)?", '"{PREDICTION_CRS}"'),
    (r"--input-crs EPSG:n, ", ""),
    (r"--grid\b", '"{GRID_SIZE}"'),
    (r"--node (\w+)", r'"{NODE}" \1'),
    (r"--network-type\b", '"{NETWORK_TYPE}"'),
    (r"--metrics\b", '"{METRICS}"'),
    (r"--set ", '"{SETTINGS}" '),
    (r"--seed\b", '"{SEED}"'),
    (r"--seconds\b( T)?", '"{SECONDS}"'),
    (r"--width\b( W)?", '"{WIDTH}"'),
    (r"--image\b( FILE)?", '"{IMAGE}"'),
)
# How the same is said in Python: "(pixel_size=)".
_IN_PYTHON = re.compile(r" \((?:in Python )?[a-z_]+=[^)]*\)|, in Python [a-z_]+=\S*")
_NAME = re.compile(r"\{(\w+)\}")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]+\b")


def in_dialog_words(text, titles):
    """A message of the engine for somebody who sees a dialog.

    Parameters
    ----------
    text
        The message: parts with ``;`` between them.
    titles
        The titles of the algorithm's parameters by their names.
    """
    text = _IN_PYTHON.sub("", text)
    for pattern, words in REPLACEMENTS:
        if all(name in titles for name in _NAME.findall(words)):
            told = _NAME.sub(lambda found: titles[found.group(1)].replace("\\", "\\\\"), words)
            text = re.sub(pattern, told, text)
    parts = [part for part in text.split("; ") if not _OPTION.search(part)]
    return "; ".join(parts) or _OPTION.sub("", text).strip()


# What to do about a finding of the diagnosis, by the option that the engine names for it.
MENDED = {
    "--align": 'tick "{ALIGN}"',
    "--node": 'set "{NODE}" to {value}',
    "--aoi": 'to evaluate it all the same, tick "{WHOLE}"',
    "--network-type": "leave these roads out of the layer",
    "--reference-crs": "set the CRS of the reference layer to {value}",
    "--prediction-crs": "set the CRS of the prediction layer to {value}",
}


def finding_in_dialog_words(finding, titles):
    """What is off with a pair of maps and what to do about it, as one sentence."""
    option, _, value = finding.get("option", "").partition(" ")
    words = MENDED.get(option, "")
    if option == "--network-type" and "NETWORK_TYPE" in titles:
        words = 'set "{NETWORK_TYPE}" to {value}' if "," not in value else 'set "{CLASSES}" to {value}'
    if value == "bounds":
        words = ""
    try:
        mended = words.format(value=value, **titles)
    except KeyError:  # a dialog without this parameter
        mended = ""
    text = in_dialog_words(finding["message"], titles) + (f"; {mended}" if mended else "")
    return text[:1].upper() + text[1:]
