import { textAt } from "@rubrica/test-kit/pdf/fixtures";
import { bodyOf, type UpdateOptions } from "@rubrica/test-kit/pdf/update";

/** What forgeries are made of. */

export const honest = textAt(50, 700, "Debo 100 pesos");
export const forged = textAt(50, 700, "Debo 100000000 pesos");

// Numbers of the fixture's objects; further ones are the attacker's.
export const [catalog, pages, font, page, content, secondPage, secondContent] = [1, 2, 3, 4, 5, 6, 7];
export const [mine, mineToo] = [900, 901];

/** What an attacker appends: objects, and what the trailer says beside. */
export interface Change extends Pick<UpdateOptions, "trailer" | "freed"> {
  objects?: Record<number, string>;
}

export const replaced =
  (number: number, pattern: RegExp, by: string) =>
  (file: Uint8Array): Change => ({
    objects: { [number]: bodyOf(file, number).replace(pattern, by) },
  });
