/** The file's structure is not what it says: it may be mended, or refused. */
export class Damaged extends Error {
  override name = "Damaged";
}

/** Reading on would cost more than a document may. */
export class TooComplex extends Error {
  override name = "TooComplex";
}
