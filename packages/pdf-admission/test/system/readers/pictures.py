# What MuPDF draws (View) or prints (Print), as the first argument says, of the first page of files: into the first path
# one line of JSON for each other one, the picture at 36 dots an inch as width, height and RGB in Base64.
import base64
import json
import sys

import pymupdf

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)
mupdf = pymupdf.mupdf


def picture(page, usage):
    width, height = int(page.rect.width / 2), int(page.rect.height / 2)
    box = mupdf.FzIrect(0, 0, width, height)
    dots = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_rgb(), box, mupdf.FzSeparations(), 0)
    mupdf.fz_clear_pixmap_with_value(dots, 255)
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(), dots)
    own = mupdf.pdf_page_from_fz_page(page.this)
    mupdf.pdf_run_page_with_usage(own, device, mupdf.FzMatrix(0.5, 0, 0, 0.5, 0, 0), usage, mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return [width, height, base64.b64encode(pymupdf.Pixmap("raw", dots).samples).decode()]


usage, to, *paths = sys.argv[1:]
with open(to, "w") as found:
    for path in paths:
        try:
            with pymupdf.open(path) as document:
                shown = picture(document[0], usage)
        except Exception:
            shown = None
        print(json.dumps(shown), file=found)
