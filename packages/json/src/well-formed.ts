import { NotUnicode } from "./errors.ts";

/** An escape that may be half a character. Where there is none, all texts of a JSON text in UTF-8 are whole. */
export const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Looks for texts, names included, with half a character: RFC 8785 and UTF-8 can't hold them. The value's depth is
 * bounded. @throws {NotUnicode}
 */
export const refuseHalfCharacters = (value: unknown, path = ""): void => {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new NotUnicode(path);
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) refuseHalfCharacters(element, `${path}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, element] of Object.entries(value)) {
      if (!name.isWellFormed()) throw new NotUnicode(path);
      refuseHalfCharacters(element, path === "" ? name : `${path}.${name}`);
    }
  }
};
