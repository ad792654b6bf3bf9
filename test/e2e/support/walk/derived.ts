import { exampleOf, type Operation } from "@carillon/contract";
import { exampleBlob, unique } from "@carillon/testkit";

import { pick, someone, someoneInCharge, step, type Walk, type WalkStep } from "./walk.ts";

/**
 * Makes a step from the operation's declared example: `$NAME` stands for a thing that an earlier step created,
 * `$RANDOM` for a new value. The creator of the thing makes the request.
 */
export function derivedStep(operation: Operation): WalkStep {
  const example = exampleOf(operation);
  return step(operation, 1, (walk) => {
    const made = Object.entries(example.made).map(
      ([name, [id, field, beginsWith = ""]]) =>
        [
          name,
          (walk.made.get(`${id} ${field}`) ?? []).map(({ value, by }) => ({
            by,
            value: typeof value === "string" ? value.slice(beginsWith.length) : value,
          })),
        ] as const,
    );
    if (made.some(([, things]) => things.length === 0)) return undefined;
    const things = new Map(made.map(([name, all]) => [`$${name}`, pick(walk, all)]));
    const filled = (value: unknown): unknown => {
      if (typeof value !== "string") return value;
      const whole = things.get(value);
      if (whole) return whole.value;
      return value.replaceAll(/\$[A-Z_]+/g, (name) =>
        name === "$RANDOM" ? unique("r") : String(things.get(name)?.value ?? name),
      );
    };
    const fill = (values: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(value)]));
    const [first] = things.values();
    const by = first?.by ?? caller(walk, operation);
    return {
      by,
      path: fill(example.path),
      params: fill(example.params),
      ...(example.file && { files: { [example.file.name]: exampleBlob(example.file) } }),
    };
  });
}

function caller(walk: Walk, { access }: Operation) {
  if (access === "bot") return walk.org.bot;
  const asked = access === "administrator" || access === "owner" ? someoneInCharge : someone;
  return asked(walk);
}
