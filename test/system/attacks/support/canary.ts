import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@rubrica/test-kit";
import sharp from "sharp";

/** A colour that no document of the tests has. */
const COLOUR = { r: 255, g: 0, b: 255 };
const WORDS = "canary of the server";

/** Files of the machine, and a server, that no template may reach. */
export interface Canary extends AsyncDisposable {
  /** `file:` URLs of a picture in a colour that nothing else has, of a text, and of a document with that text. */
  picture: string;
  text: string;
  /** An address that counts who comes. */
  address: string;
  /** How often something came to the address. */
  visits(): number;
  /** Whether a PDF shows the colour, or has the words. */
  isSeenIn(pdf: Uint8Array): Promise<boolean>;
}

export const openCanary = async (): Promise<Canary> => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-canary-"));
  const picture = join(folder, "canary.png");
  const text = join(folder, "canary.txt");
  const create = { width: 300, height: 300, channels: 3, background: COLOUR } as const;
  writeFileSync(picture, await sharp({ create }).png().toBuffer());
  writeFileSync(text, WORDS);
  let visits = 0;
  const port = await freePort();
  const server = createServer(async (_request, response) => {
    visits += 1;
    response.setHeader("content-type", "image/png").end(await sharp({ create }).png().toBuffer());
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    picture: `file://${picture}`,
    text: `file://${text}`,
    address: `http://127.0.0.1:${port}/canary.png`,
    visits: () => visits,
    async isSeenIn(pdf) {
      const path = join(folder, "seen.pdf");
      writeFileSync(path, pdf);
      const { stdout: words } = spawnSync("pdftotext", [path, "-"], { encoding: "utf8" });
      spawnSync("pdftoppm", ["-r", "40", "-png", path, join(folder, "page")]);
      const pixels = await sharp(join(folder, "page-1.png")).removeAlpha().raw().toBuffer();
      const coloured = Array.from({ length: pixels.length / 3 }, (_, index) => index * 3).filter(
        (at) => (pixels[at] ?? 0) > 200 && (pixels[at + 1] ?? 255) < 60 && (pixels[at + 2] ?? 0) > 200,
      );
      return words.includes(WORDS) || coloured.length > 20;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
};
