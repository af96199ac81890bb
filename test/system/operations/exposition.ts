/** Metrics as Prometheus' text format tells them: by name (a histogram's by its own), the labels that their samples have. */
export interface Exposition {
  /** The names with `_bucket`, `_sum` and `_count`, as expressions use them. */
  labelsOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names that are declared, samples or not. */
  declared: ReadonlySet<string>;
}

const LABEL = /(\w+)="(?:[^"\\]|\\.)*"/g;

export const readExposition = (text: string): Exposition => {
  const labelsOf = new Map<string, Set<string>>();
  const declared = new Set<string>();
  for (const line of text.split("\n")) {
    const [, type] = /^# TYPE (\w+) /.exec(line) ?? [];
    if (type !== undefined) declared.add(type);
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = labelsOf.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(LABEL)) known.add(label);
    labelsOf.set(name, known);
  }
  return { labelsOf, declared };
};

/** What a PromQL expression asks for: names of metrics, each with the labels that it is selected by. */
export const metricsIn = (expression: string): { name: string; labels: string[] }[] =>
  [...expression.matchAll(/\b((?:rubrica|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", labels = ""]) => ({
    name,
    labels: [...labels.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label),
  }));

/** The labels that expressions sum or group by. */
export const groupedBy = (expression: string): string[] =>
  [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((one) => one.trim()),
  );
