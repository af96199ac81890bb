// Brings the screenshots that the tests made into the README, smaller.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

const WIDTH = 540;
const root = join(import.meta.dirname, "..");
const picked = {
  "sign-read": "main-job-1-document",
  "sign-photo": "photos-1-selfie",
  "sign-draw": "main-job-2-drawn",
  "sign-done": "main-job-3-done",
  phone: "main-job-4-simulator",
};

await mkdir(join(root, "docs", "screenshots"), { recursive: true });
for (const [name, source] of Object.entries(picked)) {
  await sharp(join(root, "artifacts", "screenshots", `${source}.png`))
    .resize({ width: WIDTH })
    .png({ palette: true })
    .toFile(join(root, "docs", "screenshots", `${name}.png`));
}
