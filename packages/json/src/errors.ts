/**
 * What a JSON text may not hold so much of. `bytes`: of the text beside its long parts; `rows`: elements of a list; `row`:
 * bytes of one of them.
 */
export type JsonBound = "values" | "depth" | "bytes" | "rows" | "row";

/** A JSON text holds more than it may. Names no value. */
export class JsonBoundExceeded extends Error {
  readonly bound: JsonBound;
  /** The field of the outermost object, or the row, in which it is; empty where it is in neither. */
  readonly path: string;
  readonly limit: number;

  constructor(bound: JsonBound, path: string, limit: number) {
    super(`more than ${limit} (${bound})`);
    this.name = "JsonBoundExceeded";
    this.bound = bound;
    this.path = path;
    this.limit = limit;
  }
}

/** A JSON text, or a string in it, is not valid Unicode: bytes that are not UTF-8, or an escaped surrogate without its pair. */
export class NotUnicode extends Error {
  /** By the names and places that lead there: `datos_firmantes[0].name`; empty for the text itself. */
  readonly path: string;

  constructor(path: string) {
    super("text that is no Unicode");
    this.name = "NotUnicode";
    this.path = path;
  }
}
