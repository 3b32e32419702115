"""Debug reports: rendered from a diagnosis, read back, and checked by what they say."""

from clew.documents.report.reading import ParsedOption, ParsedReport, parse, problems
from clew.documents.report.rendering import close, file_name, folder, render, severity, what_failed

__all__ = [
    "ParsedOption",
    "ParsedReport",
    "close",
    "file_name",
    "folder",
    "parse",
    "problems",
    "render",
    "severity",
    "what_failed",
]
