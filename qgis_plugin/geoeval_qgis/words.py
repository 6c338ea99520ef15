"""What a dialog calls the options of the engine, which words its messages with that. No QGIS here."""

import json

# Where the engine looks for these words; without them it would name the options of its command line.
VARIABLE = "GEOEVAL_DIALOG"
# The parameter that stands for an option of the engine.
PARAMETERS = {
    "align": "ALIGN", "aoi": "AREA", "crs": "CRS", "grid": "GRID_SIZE", "image": "IMAGE", "metrics": "METRICS",
    "network-type": "NETWORK_TYPE", "node": "NODE", "prediction-crs": "PREDICTION_CRS",
    "reference-crs": "REFERENCE_CRS", "seconds": "SECONDS", "seed": "SEED", "set": "SETTINGS", "width": "WIDTH",
}  # fmt: skip


def dialog_words(titles, *, in_area=False):
    """Titles by option, and what to do for a value that is no text: the value of ``GEOEVAL_DIALOG``.

    Parameters
    ----------
    titles
        The titles of the algorithm's parameters by their names.
    in_area
        Whether an area is given, beside which nothing else says what is evaluated.
    """
    words = {option: titles[name] for option, name in PARAMETERS.items() if name in titles}
    if "WHOLE" in titles:
        emptied = f'leave "{titles["AREA"]}" empty and ' if in_area else ""
        words["aoi=all"] = f'{emptied}tick "{titles["WHOLE"]}"'
    if "AREA" in titles:
        words["aoi=AREA"] = f'choose a layer of polygons in "{titles["AREA"]}"'
    return json.dumps(words)


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
    text = finding["message"] + (f"; {mended}" if mended else "")
    return text[:1].upper() + text[1:]
