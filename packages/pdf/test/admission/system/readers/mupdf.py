# What MuPDF reads and draws of files: into the first path one line of JSON for each other one, a text and a hash a page.
import hashlib
import json
import sys

import fitz

fitz.TOOLS.mupdf_display_errors(False)
fitz.TOOLS.mupdf_display_warnings(False)


def pages_of(path):
    with fitz.open(path) as document:
        return [[page.get_text(), hashlib.sha256(page.get_pixmap(dpi=36).samples).hexdigest()] for page in document]


with open(sys.argv[1], "w") as found:
    for path in sys.argv[2:]:
        try:
            pages = pages_of(path)
        except Exception as error:
            pages = [type(error).__name__]
        print(json.dumps(pages), file=found)
