import { BadRequestError, type Fault, faultsOf, HttpError } from "@rubrica/http";
import { sanitizeIdNumber, sanitizePhone } from "@rubrica/identity";
import { z } from "zod";
import { MAX_WEBHOOK_HEADERS } from "../document-set/webhook-headers.ts";
import { BulkBody } from "./body.ts";

/** A row as JSON: with its document's other events' data it has to fit one append of the event store. */
export const MAX_ROW_BYTES = 262_144;
/** What an entry of a JSON object takes beside its key and a text: `:1,`. */
const LEAST_ENTRY_BYTES = 3;
const BASE64_OVERHEAD = 4 / 3;
const WEB_URL = /^https?:/i;

/** What the limits of the service let through. */
export interface BulkLimits {
  documentBytes: number;
  bulkRows: number;
}

type Issue = z.core.$ZodIssue;
type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks a body: sizes first, then the specification's errors in its order, then what it leaves open.
 * @throws {HttpError} 413, or 400 with the specification's text. @throws {BadRequestError}
 */
export const checkBulkBody = (body: unknown, limits: BulkLimits): BulkBody => {
  const fields = isObject(body) ? body : {};
  refuseOversized(fields, limits);
  const parsed = BulkBody.safeParse(fields);
  const issues = parsed.error?.issues ?? [];
  refuseBy(issues, beforeDuplicates);
  refuseDuplicates(fields.df as readonly { dni: string; msg: string }[]);
  refuseBy(issues, afterDuplicates);
  if (parsed.error) throw new BadRequestError(faultsOf(parsed.error));
  return parsed.data;
};

/** Before each entry is looked at: naming the faults of millions of them would take the process's time and memory. */
const refuseOversized = ({ document, df, webhook_key }: Fields, { documentBytes, bulkRows }: BulkLimits): void => {
  if (typeof document === "string" && !WEB_URL.test(document) && document.length > longestBase64(documentBytes)) {
    throw new HttpError(413, { error: `The document is larger than ${documentBytes} bytes` });
  }
  if (isObject(webhook_key) && Object.keys(webhook_key).length > MAX_WEBHOOK_HEADERS) {
    throw new BadRequestError([{ path: "webhook_key", message: `must have at most ${MAX_WEBHOOK_HEADERS} entries` }]);
  }
  if (!Array.isArray(df)) return;
  if (df.length > bulkRows) throw new HttpError(413, { error: `df has more than ${bulkRows} elements` });
  const large = df.findIndex((row) => isObject(row) && sizeOf(row) > MAX_ROW_BYTES);
  if (large >= 0) throw new HttpError(413, { error: `df[${large}] is larger than ${MAX_ROW_BYTES} bytes` });
};

const DATA_PREFIX_LENGTH = 200;
const longestBase64 = (bytes: number): number => Math.ceil(bytes * BASE64_OVERHEAD) + 4 + DATA_PREFIX_LENGTH;

/** A row's size as JSON, at least; what is nested in it is refused later, and not looked into. */
const sizeOf = (row: Fields): number =>
  Object.entries(row).reduce(
    (bytes, [key, value]) =>
      bytes + LEAST_ENTRY_BYTES + textBytes(key) + (typeof value === "string" ? textBytes(value) : 0),
    0,
  );

const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** An error that the specification words: which faults it is about, by their paths. */
interface Specified {
  error: string;
  isAbout: (issue: Issue) => boolean;
  /** Whether it says which elements are wrong: there may be a thousand. */
  detailed?: true;
}

const isAt =
  (...path: PropertyKey[]) =>
  ({ path: at }: Issue): boolean =>
    at.length === path.length && path.every((key, index) => at[index] === key);

const REQUIRED_OF_ROW: ReadonlySet<PropertyKey> = new Set(["nombre y apellido", "dni", "msg"]);
const PLACEMENT = ["position_x", "position_y", "page"];

const beforeDuplicates: readonly Specified[] = [
  { error: 'document_type debe ser "docx"', isAbout: isAt("document_type") },
  { error: "campo document es requerido", isAbout: isAt("document") },
  { error: "campo df debe ser un array no vacío", isAbout: isAt("df") },
  { error: "campo firmante es requerido y debe ser un objeto", isAbout: isAt("firmante") },
  {
    error: "cada elemento de df debe contener al menos nombre y apellido, dni y whatsapp",
    isAbout: ({ path: [field, _row, key] }) => field === "df" && (key === undefined || REQUIRED_OF_ROW.has(key)),
    detailed: true,
  },
];
const afterDuplicates: readonly Specified[] = [
  {
    error: "firmante debe contener position_x, position_y y page como números",
    isAbout: (issue) => issue.code === "invalid_type" && PLACEMENT.some((key) => isAt("firmante", key)(issue)),
  },
];

const refuseBy = (issues: readonly Issue[], specified: readonly Specified[]): void => {
  for (const { error, isAbout, detailed } of specified) {
    const about = issues.filter(isAbout);
    if (about.length === 0) continue;
    const details: Fault[] = faultsOf(new z.ZodError(about));
    throw new HttpError(400, detailed ? { error, details } : { error });
  }
};

/** Compared as they are kept, named as they were given. */
const refuseDuplicates = (rows: readonly { dni: string; msg: string }[]): void => {
  const dni = firstRepeated(rows, ({ dni: raw }) => {
    const result = sanitizeIdNumber(raw);
    return result.ok ? result.idNumber : raw;
  });
  if (dni) throw new HttpError(400, { error: `DNI ${dni.dni} duplicado` });
  const phone = firstRepeated(rows, ({ msg: raw }) => {
    const result = sanitizePhone(raw);
    return result.ok ? result.phone : raw;
  });
  if (phone) throw new HttpError(400, { error: `Teléfono ${phone.msg} duplicado` });
};

const firstRepeated = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row | undefined => {
  const seen = new Set<string>();
  return rows.find((row) => {
    const key = keyOf(row);
    return seen.has(key) || !seen.add(key);
  });
};

/** The 400 of what the specification has no words for. */
export const badBulkRequest = (details: readonly Fault[]) => {
  const [first] = details;
  return { error: first ? `${first.path} ${first.message}`.trim() : "Bad Request", details };
};
