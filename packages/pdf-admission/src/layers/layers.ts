import { names } from "@rubrica/pdf-reading/names";
import type { PdfFile } from "@rubrica/pdf-reading/pdf-file";
import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from "pdf-lib";

/** Layers that readers disagree on, and whether what belongs to them is shown (ISO 32000-2, 8.11). */

const key = (name: string) => PDFName.of(name);
const [TYPE, OCG, OCMD, OCGS, P, VE] = names("Type", "OCG", "OCMD", "OCGs", "P", "VE");
const ofMemberships = ["OCGs", "VE"].map(key);
const [VIEW, ALL] = ["View", "All"].map(key);
/** How deep expressions may lie within each other; beyond it they say nothing. */
const MAX_DEPTH = 16;

const itemsOf = (value: PDFObject | undefined): readonly PDFObject[] =>
  value instanceof PDFArray ? value.asArray() : [];

/** Whether all readers take a layer, or a configuration of layers, for one that is viewed. */
export const isToView = (intent: PDFObject | undefined, file: PdfFile): boolean => {
  const intents = intent instanceof PDFArray ? itemsOf(intent).map((one) => file.resolve(one)) : [intent];
  return intent === undefined || intents.some((one) => one === VIEW || one === ALL);
};

/** The layers of a file, in the states that it is opened with. */
export class Layers {
  readonly #file: PdfFile;
  readonly #listed: ReadonlySet<PDFObject>;
  readonly #on: ReadonlySet<PDFObject>;
  readonly #off: ReadonlySet<PDFObject>;
  readonly #areOn: boolean;
  /** Expressions may share their parts: each is judged once. */
  readonly #judged = new Map<PDFArray, boolean | undefined>();

  constructor(file: PdfFile) {
    this.#file = file;
    const properties = file.dictEntry(file.catalog, "OCProperties");
    const config = file.dictEntry(properties, "D");
    const listed = (dict: PDFDict | undefined, name: string) => new Set(itemsOf(file.entry(dict, name)));
    [this.#listed, this.#on, this.#off] = [listed(properties, "OCGs"), listed(config, "ON"), listed(config, "OFF")];
    this.#areOn = file.nameEntry(config, "BaseState") !== "OFF";
  }

  /** Whether something may be hidden: a layer is off, or those that are on are named. */
  get mayHide(): boolean {
    return this.#off.size > 0 || !this.#areOn;
  }

  /**
   * What stands in the place of a layer, or of a membership, that readers disagree on: another layer that is off where it
   * hides, null where it shows. Undefined where they agree, or nothing can stand there.
   */
  instead(given: PDFObject): PDFObject | null | undefined {
    const value = this.#file.resolve(given);
    if (!(value instanceof PDFDict) || this.#isPlain(given, value)) return undefined;
    if (this.#isShown(given, value)) return null;
    // Without a layer that is off nothing hides it for all readers.
    return [...this.#off].find((one) => this.#isPlainLayer(one) && !this.#isOn(one)) ?? given;
  }

  /** Whether a layer is one of those that are off. */
  isOff(layer: PDFDict): boolean {
    return [...this.#listed, ...this.#off].some((given) => this.#file.resolve(given) === layer && !this.#isOn(given));
  }

  /** Whether what belongs to a layer or a membership is shown. */
  shows(given: PDFObject): boolean {
    const value = this.#file.resolve(given);
    return !(value instanceof PDFDict) || this.#isShown(given, value);
  }

  #isPlain(given: PDFObject, value: PDFDict): boolean {
    const type = value.get(TYPE);
    if (type === OCG) return this.#isPlainLayer(given);
    // Other lists of properties are no layers, unless they are listed as such, or have what memberships have.
    if (type !== OCMD)
      return (
        !ofMemberships.some((name) => value.has(name)) &&
        ![this.#listed, this.#on, this.#off].some((all) => all.has(given))
      );
    const policy = this.#file.resolve(value.get(P));
    if (value.has(VE) || (policy !== undefined && policy !== key("AnyOn"))) return false;
    const members = this.#membersOf(value);
    // Of a list, some readers leave out layers that the file does not have.
    const areListed = members.length === 1 && members[0] === value.get(OCGS);
    return (
      members.length > 0 && members.every((one) => this.#isPlainLayer(one) && (areListed || this.#listed.has(one)))
    );
  }

  #isPlainLayer(given: PDFObject): boolean {
    const value = this.#file.resolve(given);
    return given instanceof PDFRef && value instanceof PDFDict && value.get(TYPE) === OCG;
  }

  /** Those of a membership: one, or a list. */
  #membersOf(membership: PDFDict): readonly PDFObject[] {
    const given = membership.get(OCGS);
    const members = this.#file.resolve(given);
    if (members instanceof PDFArray) return members.asArray();
    return given === undefined || members === undefined ? [] : [given];
  }

  #isShown(given: PDFObject, value: PDFDict): boolean {
    if (value.get(TYPE) !== OCMD) return this.#isOn(given);
    const expression = this.#file.resolve(value.get(VE));
    const told = expression instanceof PDFArray ? this.#holds(expression, 0) : undefined;
    if (told !== undefined) return told;
    const states = this.#membersOf(value)
      .filter((one) => this.#isPlainLayer(one))
      .map((one) => !this.#listed.has(one) || this.#isOn(one));
    if (states.length === 0) return true;
    const policies = {
      AllOn: states.every((isOn) => isOn),
      AnyOff: states.some((isOn) => !isOn),
      AllOff: states.every((isOn) => !isOn),
    };
    const policy = this.#file.nameEntry(value, "P") ?? "";
    return Object.hasOwn(policies, policy) ? policies[policy as keyof typeof policies] : states.some((isOn) => isOn);
  }

  #isOn(layer: PDFObject): boolean {
    return !this.#off.has(layer) && (this.#areOn || this.#on.has(layer));
  }

  /** Whether an expression of layers holds; undefined where it is none. */
  #holds(expression: PDFArray, depth: number): boolean | undefined {
    if (depth > MAX_DEPTH) return undefined;
    if (!this.#judged.has(expression)) {
      this.#judged.set(expression, undefined);
      this.#judged.set(expression, this.#comesTo(expression, depth));
    }
    return this.#judged.get(expression);
  }

  #comesTo(expression: PDFArray, depth: number): boolean | undefined {
    const [operator, ...given] = expression.asArray();
    const operands = given.map((one) => {
      const value = this.#file.resolve(one);
      return value instanceof PDFArray ? this.#holds(value, depth + 1) : this.#isOn(one);
    });
    if (operands.length === 0 || operands.includes(undefined)) return undefined;
    if (operator === key("Not")) return operands.length === 1 ? !operands[0] : undefined;
    if (operator === key("And")) return operands.every((holds) => holds);
    return operator === key("Or") ? operands.some((holds) => holds) : undefined;
  }
}
