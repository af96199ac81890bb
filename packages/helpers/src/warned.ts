/** What a child process tells its parent, beside its answers: the runtime warned of something there. */
export interface Warned {
  kind: "warned";
  name: string;
  /** Without the message, which may quote what a file says. */
  stack: string;
}

/** In the child: tells what the runtime warns of from now on. */
export const tellWarnings = (tell: (warned: Warned) => void): void => {
  process.on("warning", ({ name, stack = "" }) => {
    const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
    tell({ kind: "warned", name, stack: frames.join("\n") });
  });
};

/** In the parent: warns of it here, where somebody reads it. `title`: of the child, for people. */
export const warnOf = (title: string, { name, stack }: Warned): void =>
  process.emitWarning(`in a helper (${title})`, { type: name, detail: stack });
