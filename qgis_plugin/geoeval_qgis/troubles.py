"""What went wrong while packages were installed, each in its own words. No QGIS here."""

import re

_PROXY = (
    "the proxy refuses the connection; enter it with name and password in the environment variable HTTPS_PROXY "
    "(Settings, Options, System, Environment), and restart QGIS"
)
_OTHER_SYSTEM = (
    "{0} is made for another Python or another system; fill the folder with the same system and Python as here"
)
# uv is told of that variable too.
_CERTIFICATE = (
    "the certificate of {server} is not trusted; name the certificate of your network in the environment variable "
    "PIP_CERT, and restart QGIS"
)
# Where things come from: the package index, the user's folder of wheels, or where uv has interpreters.
INDEX, FOLDER, DOWNLOAD = "index", "folder", "download"
_SERVERS = {
    INDEX: "the package index",
    FOLDER: "the package index",
    DOWNLOAD: "the place that uv downloads it from",
}
_UNREACHABLE = {
    INDEX: "the package index cannot be reached; check the internet connection, or give a folder of wheels",
    FOLDER: "the folder cannot be reached",
    DOWNLOAD: (
        "the place that uv downloads it from cannot be reached; check the internet connection, name a mirror in the "
        "environment variable UV_PYTHON_INSTALL_MIRROR, or install a Python yourself"
    ),
}
_FILL = "fill the folder with the command in the help, on the same system and Python as here"
_ONLINE = "is there internet? Without it, give a folder of wheels"
_NOT_FOUND = {INDEX: _ONLINE, FOLDER: _FILL, DOWNLOAD: _ONLINE}
# What pip or the system says, and what that means; the first that fits counts.
_MEANINGS = (
    (r"No space left on device|Errno 28|WinError 112|not enough space", "the disk is full; free about 3 GB"),
    (r"ProxyError|Cannot connect to proxy|407 Proxy|Tunnel connection failed", _PROXY),
    (r"CERTIFICATE_VERIFY_FAILED|SSLError|certificate verify failed|invalid peer certificate", _CERTIFICATE),
    (r"([\w.+-]+\.whl) is not a supported wheel on this platform", _OTHER_SYSTEM),
    (r"Wheel '?[\w.+-]+'?.*is invalid|BadZipFile|is not a zip file|invalid wheel|not a valid wheel|Bad magic number",
     "a wheel is damaged; download it again"),
    (r"name resolution|service not known|getaddrinfo|unreachable|timed out|error sending request", "{unreachable}"),
    (r"NewConnection|ConnectTimeout|HTTP status (?:client|server) error", "{unreachable}"),
    (r"No matching distribution found for ([\w.\-\[\],<>=!~]+)", "no wheel of {0} was found; {not_found}"),
    (r"Permission denied|Errno 13|WinError 5", "the folder cannot be written; check its permissions"),
)  # fmt: skip


def in_words(what, said, *, of=INDEX):
    """One line about a step that failed: ``what`` failed and why, in the words above or in those of the program.

    ``of`` is where things should have come from: INDEX, FOLDER or DOWNLOAD.
    """
    lines = [line.strip() for line in said if line.strip()]
    text = "\n".join(lines)
    for pattern, meaning in _MEANINGS:
        found = re.search(pattern, text)
        if found:
            named = [group or "" for group in found.groups()] or [""]
            why = meaning.format(*named, unreachable=_UNREACHABLE[of], not_found=_NOT_FOUND[of], server=_SERVERS[of])
            return f"{what}: {why}"
    errors = [line for line in lines if line.upper().startswith("ERROR")] or lines[-1:] or ["it gave no reason"]
    return f"{what}: {errors[-1]}"
