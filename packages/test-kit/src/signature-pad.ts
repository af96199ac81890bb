import type { Page } from "playwright-core";

/** Draws a signature on the pad with the mouse: loops and a flourish, `width` of the pad wide (0 to 1). */
export const drawSignature = async (page: Page, width = 0.7): Promise<void> => {
  const box = await page.getByRole("img", { name: /firma/ }).boundingBox();
  if (box === null) throw new Error("the pad is not there");
  const at = (t: number) => ({
    x: box.x + box.width * ((1 - width) / 2 + width * (t + 0.045 * Math.sin(t * 40))),
    y: box.y + box.height * (0.5 - 0.26 * Math.sin(t * 34) * (1 - 0.55 * t)),
  });
  const start = at(0);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  for (let step = 1; step <= 60; step += 1) {
    const { x, y } = at(step / 60);
    await page.mouse.move(x, y);
  }
  await page.mouse.up();
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height * 0.82);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.74, { steps: 12 });
  await page.mouse.up();
};
