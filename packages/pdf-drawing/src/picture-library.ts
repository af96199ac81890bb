import type sharp from "sharp";

type Sharp = typeof sharp;

let loading: Promise<Sharp> | undefined;

/** Loads sharp when a picture is first read or written: most documents hold none, and no helper's start waits for it. */
export const pictureLibrary = (): Promise<Sharp> => {
  loading ??= import("sharp").then(({ default: library }) => {
    // Workers share the machine's cores already, and no picture comes twice.
    library.concurrency(1);
    library.cache(false);
    return library;
  });
  return loading;
};
