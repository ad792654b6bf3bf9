/** A line of Prometheus' text format (version 0.0.4) that is not a comment. */
const sample =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;

interface Family {
  help: boolean;
  type: string | undefined;
  readonly samples: Array<{ name: string; labels: string; value: number }>;
}

/**
 * Returns the faults of a Prometheus exposition, one line each: grammar, and the rules of `promtool check metrics` for
 * names, types and labels.
 */
export function expositionFaults(text: string): string[] {
  const faults: string[] = text.endsWith("\n") ? [] : ["it does not end with a line break"];
  const families = new Map<string, Family>();
  const family = (name: string) => {
    const known = families.get(name) ?? { help: false, type: undefined, samples: [] };
    families.set(name, known);
    return known;
  };
  const seen = new Set<string>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const commented = comment.exec(line);
    if (commented) {
      const [, what, name = "", rest] = commented;
      const of = family(name);
      if (of.samples.length > 0) faults.push(`${name}: ${what} comes after its samples`);
      if (what === "HELP") of.help = true;
      else if (of.type !== undefined) faults.push(`${name} has two types`);
      else of.type = rest;
      continue;
    }
    const found = sample.exec(line);
    if (!found) {
      faults.push(`not a sample: ${line}`);
      continue;
    }
    const [, name = "", labels = "", value = ""] = found;
    if (seen.has(`${name}{${labels}}`)) faults.push(`${name}{${labels}} is duplicated`);
    seen.add(`${name}{${labels}}`);
    const base = name.replace(/_(?:bucket|sum|count)$/, "");
    const type = families.get(base)?.type;
    const owner = type === "histogram" || type === "summary" ? base : name;
    const number = Number(value.replace("Inf", "Infinity"));
    family(owner).samples.push({ name, labels, value: number });
  }
  return [...faults, ...[...families].flatMap(([name, of]) => faultsOf(name, of))];
}

function faultsOf(name: string, { help, type, samples }: Family): string[] {
  const faults: string[] = [];
  if (!help) faults.push(`${name} has no help text`);
  if (type === undefined || !/^(?:counter|gauge|histogram|summary)$/.test(type))
    faults.push(`${name} has no type`);
  if (type === "counter" && !name.endsWith("_total")) faults.push(`${name} should end with _total`);
  if (type !== "counter" && name.endsWith("_total")) faults.push(`${name} ends with _total`);
  if (/_(?:milliseconds|ms|minutes|hours|kilobytes|kb|megabytes|percent)(?:_|$)/.test(name))
    faults.push(`${name} is not in seconds, bytes or a ratio`);
  if (/[A-Z]/.test(name)) faults.push(`${name} is not in lower case`);
  const labelled = (label: string) =>
    samples.some(({ labels }) => new RegExp(`(?:^|,)${label}="`).test(labels));
  if (type !== "summary" && labelled("quantile")) faults.push(`${name} has a quantile`);
  if (type !== "histogram" && labelled("le")) faults.push(`${name} has buckets`);
  if (type === "histogram") faults.push(...bucketFaults(name, samples));
  return faults;
}

/** Checks that buckets increase, and that +Inf equals the count. */
function bucketFaults(name: string, samples: Family["samples"]): string[] {
  const series = new Map<string, number[]>();
  for (const { name: of, labels, value } of samples) {
    if (of !== `${name}_bucket`) continue;
    const others = labels.replace(/,?le="[^"]*",?/, "");
    series.set(others, [...(series.get(others) ?? []), value]);
  }
  return [...series].flatMap(([labels, values]) => {
    const count = samples.find((one) => one.name === `${name}_count` && one.labels === labels);
    const grow = values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
    if (grow && count?.value === values.at(-1)) return [];
    return [`${name}{${labels}}: its buckets do not increase up to its count`];
  });
}

/** Returns the metric names of a text, in their spelling. */
export function metricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
}
