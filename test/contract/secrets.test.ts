import { allEvents, allOperations, secretNames } from "@carillon/contract";
import { expect } from "chai";
import * as z from "zod";

/** Fields whose names sound like secrets but which contain none. */
const harmless = new Set(["password_min_length", "topic_links", "webhook_secret"]);

/** Returns the names of all fields of a type, at any depth. */
function fieldsOf(type: z.ZodType): Set<string> {
  const names = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value) && "properties" in value)
      for (const name of Object.keys(value.properties as object)) names.add(name);
    for (const part of Object.values(value)) look(part);
  };
  look(z.toJSONSchema(type, { unrepresentable: "any", io: "output" }));
  return names;
}

describe("Secrets in answers and events", () => {
  it("have listed names, so that answers with a secret are never compressed", () => {
    const named = new Set(secretNames);
    const sounding = new Set<string>();
    const types = [
      ...allOperations.map(({ result }) => z.object(result)),
      ...allEvents.flatMap(({ fields }) =>
        [fields].flat().map((shape: Readonly<Record<string, z.ZodType>>) => z.object(shape)),
      ),
    ];
    for (const type of types)
      for (const name of fieldsOf(type))
        if (/(^|_)(key|secret|token|password|credentials?|invite_link|link_url)s?$/.test(name))
          sounding.add(name);
    for (const name of named) expect([...sounding]).to.include(name);
    const unnamed = [...sounding].filter((name) => !named.has(name) && !harmless.has(name));
    expect(unnamed, "list it in secret-names.ts, or here where it is no secret").to.deep.equal([]);
  });
});
