# What MuPDF reads, draws and prints of files: into the first path one line of JSON for each other one, of a page its text
# and two hashes.
import hashlib
import json
import sys

import fitz

fitz.TOOLS.mupdf_display_errors(False)
fitz.TOOLS.mupdf_display_warnings(False)


mupdf = fitz.mupdf


def printed(page):
    box = mupdf.FzIrect(0, 0, int(page.rect.width / 2), int(page.rect.height / 2))
    picture = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_rgb(), box, mupdf.FzSeparations(), 0)
    mupdf.fz_clear_pixmap_with_value(picture, 255)
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(), picture)
    half = mupdf.FzMatrix(0.5, 0, 0, 0.5, 0, 0)
    own = mupdf.pdf_page_from_fz_page(page.this)
    mupdf.pdf_run_page_with_usage(own, device, half, "Print", mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return fitz.Pixmap("raw", picture).samples


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def pages_of(path):
    with fitz.open(path) as document:
        return [[page.get_text(), sha256(page.get_pixmap(dpi=36).samples), sha256(printed(page))] for page in document]


with open(sys.argv[1], "w") as found:
    for path in sys.argv[2:]:
        try:
            pages = pages_of(path)
        except Exception as error:
            pages = [type(error).__name__]
        print(json.dumps(pages), file=found)
