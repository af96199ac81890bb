import { NAME, NUMBER } from "@rubrica/pdf-reading/content-tokens";
import type { BegunWith } from "./begun-with.ts";
import { ColorSpaces } from "./color-spaces.ts";
import type { Operands } from "./operands.ts";
import type { OperatorOrder } from "./operator-order.ts";
import type { Fault } from "./reading.ts";
import type { Tokens } from "./tokens.ts";
import type { Used } from "./used.ts";

/** Takes what stands between two places out of the content. */
type TakeOut = (start: number, end: number) => void;

/** The colors that a content sets, each with the numbers and the name that its operator has. */
export class SetColors {
  readonly #tokens: Tokens;
  readonly #operands: Operands;
  readonly #order: OperatorOrder;
  readonly #spaces: ColorSpaces;
  readonly #used: Used;
  readonly #begun: BegunWith;
  readonly #takeOut: TakeOut;

  constructor(parts: {
    tokens: Tokens;
    operands: Operands;
    order: OperatorOrder;
    spaces: ColorSpaces;
    used: Used;
    begun: BegunWith;
    takeOut: TakeOut;
  }) {
    this.#tokens = parts.tokens;
    this.#operands = parts.operands;
    this.#order = parts.order;
    this.#spaces = parts.spaces;
    this.#used = parts.used;
    this.#begun = parts.begun;
    this.#takeOut = parts.takeOut;
  }

  /** An operator that may set a color or a space. */
  goOn(name: string): Fault | null {
    if (!ColorSpaces.heeds(name)) return null;
    if (this.#order.isUncolored === "strictly" && ColorSpaces.isColor(name)) return "resource";
    const named = this.#named();
    if (named !== null) this.#used.take("Pattern", named);
    const numbers = this.#operands.count - (named === null ? 0 : 1);
    if (!this.#areNumbers(numbers)) return "operands";
    if (this.#operands.count === 0 && name.length > 1) {
      this.#takeOut(this.#tokens.start, this.#tokens.at);
      return null;
    }
    return this.#set(name, numbers, named);
  }

  #set(name: string, numbers: number, named: string | null): Fault | null {
    const { start } = this.#tokens;
    const surplus = named === null ? this.#spaces.surplusOf(name, numbers) : 0;
    const count = numbers - surplus;
    // Most readers heed the first components.
    if (surplus > 0) this.#takeOut(this.#operands.startOf(count), start);
    if (this.#spaces.isBeyond(name, this.#operands.values, count)) return "value";
    const said = [this.#operands.startOf(0), start] as const;
    if (!this.#spaces.take(name, count, named, this.#operands.areZero(count), said)) return "resource";
    if (ColorSpaces.isColor(name)) this.#begin(name, named);
    return null;
  }

  /** The name that its last operand is, if it is one. */
  #named(): string | null {
    const last = this.#operands.count - 1;
    return this.#operands.kindOf(last) === NAME ? this.#operands.nameAt(last) : null;
  }

  #areNumbers(count: number): boolean {
    for (let index = 0; index < count; index += 1) if (this.#operands.kindOf(index) !== NUMBER) return false;
    return true;
  }

  #begin(name: string, named: string | null): void {
    const isPattern = this.#spaces.isPatternFor(name === name.toLowerCase() ? "fill" : "stroke") === true;
    const pattern = /^scn$/i.test(name) ? named : null;
    this.#begun.color(name, isPattern ? pattern : undefined, this.#spaces.isBlackBy(name));
  }
}
