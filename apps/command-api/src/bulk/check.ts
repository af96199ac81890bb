import { BadRequestError, type Fault, faultsOf, HttpError } from "@rubrica/http";
import { sanitizeIdNumber, sanitizePhone } from "@rubrica/identity";
import { pacer } from "@rubrica/runtime";
import { z } from "zod";
import { unwrapped } from "../fields/base64.ts";
import { MAX_WEBHOOK_HEADERS, webhookUrl } from "../fields/webhook.ts";
import { BulkFields, BulkSigner, type CheckedBulk, type RowVariables, Variable } from "./body.ts";

/** A row as JSON. It has to fit one append of the event store, beside the data of its document's other events. */
export const MAX_ROW_BYTES = 131_072;
/** Bytes of rows that are looked at in one iteration of the event loop. */
const SLICE_BYTES = 32_768;
/** What a row counts for at least: looking at even a small one takes as long as so many bytes. */
const LEAST_ROW_BYTES = 4_096;
/** A row's variables with faults that are told; there may be as many as bytes. */
const MAX_VARIABLE_FAULTS = 100;
const WEB_URL = /^https?:/i;

/** What the limits of the service let through. */
export interface BulkLimits {
  documentBytes: number;
  bulkRows: number;
  /** Whether webhooks may go to private addresses. */
  allowPrivateUrls: boolean;
}

type Issue = z.core.$ZodIssue;
type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks a body: sizes first, then the specification's errors in its order, then what it leaves open. Rows are looked at
 * slice by slice. Gives the rows as they were given as well.
 * @throws {HttpError} 413, or 400 with the specification's text. @throws {BadRequestError}
 */
export const checkBulkBody = async (
  body: unknown,
  limits: BulkLimits,
): Promise<{ body: CheckedBulk; rows: readonly RowVariables[] }> => {
  const fields = isObject(body) ? body : {};
  await refuseOversized(fields, limits);
  const parsed = BulkFields.safeParse(fields);
  const rows = await checkedRows(Array.isArray(fields.df) ? fields.df : []);
  const issues = inOrder(parsed.error?.issues ?? [], rows.issues);
  refuseBy(issues, beforeDuplicates);
  refuseDuplicates(fields.df as readonly { dni: string; msg: string }[]);
  refuseBy(issues, afterDuplicates);
  if (!parsed.success || issues.length > 0) throw new BadRequestError(faultsOf(new z.ZodError([...issues])));
  const address = webhookUrl(limits.allowPrivateUrls).optional().safeParse(parsed.data.webhook_url);
  if (address.error) {
    const faults = address.error.issues.map(({ message }) => ({ path: "webhook_url", message }));
    throw new BadRequestError(faults);
  }
  return { body: { ...parsed.data, df: rows.signers }, rows: rows.given };
};

/** Before each entry is looked at: naming the faults of very many of them would take the process's time and memory. */
const refuseOversized = async (
  { document, df, webhook_key }: Fields,
  { documentBytes, bulkRows }: BulkLimits,
): Promise<void> => {
  if (typeof document === "string" && !WEB_URL.test(document) && (await isTooLong(document, documentBytes))) {
    throw new HttpError(413, { error: `The document is larger than ${documentBytes} bytes` });
  }
  if (isObject(webhook_key) && Object.keys(webhook_key).length > MAX_WEBHOOK_HEADERS) {
    throw new BadRequestError([{ path: "webhook_key", message: `must have at most ${MAX_WEBHOOK_HEADERS} entries` }]);
  }
  if (!Array.isArray(df)) return;
  if (df.length > bulkRows) throw new HttpError(413, { error: `df has more than ${bulkRows} elements` });
  await refuseLargeRows(df);
};

const BASE64_OVERHEAD = 4 / 3;
const DATA_PREFIX_LENGTH = 200;
const longestBase64 = (bytes: number): number => Math.ceil(bytes * BASE64_OVERHEAD) + 4 + DATA_PREFIX_LENGTH;

const isTooLong = async (document: string, documentBytes: number): Promise<boolean> =>
  document.length > longestBase64(documentBytes) && (await unwrapped(document)).length > longestBase64(documentBytes);

const refuseLargeRows = async (rows: readonly unknown[]): Promise<void> => {
  const pace = pacer(SLICE_BYTES);
  for (const [index, row] of rows.entries()) {
    const sizeBytes = isObject(row) ? Buffer.byteLength(JSON.stringify(row)) : 0;
    if (sizeBytes > MAX_ROW_BYTES) {
      throw new HttpError(413, { error: `df[${index}] is larger than ${MAX_ROW_BYTES} bytes` });
    }
    await pace(sizeBytes);
  }
};

/** What became of the rows: those that are sound, with their signers, and what is wrong, by paths from the body. */
interface CheckedRows {
  given: RowVariables[];
  signers: BulkSigner[];
  issues: Issue[];
}

const checkedRows = async (rows: readonly unknown[]): Promise<CheckedRows> => {
  const checked: CheckedRows = { given: [], signers: [], issues: [] };
  const pace = pacer(SLICE_BYTES);
  let variableFaults = 0;
  for (const [index, row] of rows.entries()) {
    const names = isObject(row) ? Object.keys(row) : [];
    await pace(LEAST_ROW_BYTES + names.length * LEAST_ENTRY_BYTES);
    const { data, error } = BulkSigner.safeParse(row);
    const unsound = variableIssues(row, names, MAX_VARIABLE_FAULTS - variableFaults);
    variableFaults += unsound.length;
    if (data && unsound.length === 0) {
      checked.given.push(row as RowVariables);
      checked.signers.push(data);
    }
    const issues = [...(error?.issues ?? []), ...unsound];
    checked.issues.push(...issues.map((issue) => ({ ...issue, path: ["df", index, ...issue.path] })));
  }
  return checked;
};

/** What an entry of a JSON object takes at least. */
const LEAST_ENTRY_BYTES = 5;

/** The first faults of a row's variables. */
const variableIssues = (row: unknown, names: readonly string[], most: number): Issue[] => {
  const issues: Issue[] = [];
  for (const name of names) {
    if (issues.length >= most) break;
    if (name in BulkSigner.shape) continue;
    const { error } = Variable.safeParse((row as Fields)[name]);
    issues.push(...(error?.issues ?? []).map((issue) => ({ ...issue, path: [name] })));
  }
  return issues;
};

/** The body's issues with its rows' where the body's schema has them. */
const inOrder = (ofBody: readonly Issue[], ofRows: readonly Issue[]): readonly Issue[] => {
  const names = Object.keys(BulkFields.shape);
  const isAfter = ({ path: [name] }: Issue) => names.indexOf(String(name)) > names.indexOf("df");
  return [...ofBody.filter((issue) => !isAfter(issue)), ...ofRows, ...ofBody.filter(isAfter)];
};

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

/** The 400 for faults for which the specification gives no text. */
export const badBulkRequest = (details: readonly Fault[]) => {
  const [first] = details;
  return { error: first ? `${first.path} ${first.message}`.trim() : "Bad Request", details };
};
