import { expect } from "chai";
import * as z from "zod";
import { allOperations } from "../all-operations.ts";
import { allEvents } from "../events/all-events.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { clientApi } from "./client-api.ts";
import { camelCase } from "./type-names.ts";

const files = clientApi(allOperations);
const [types = "", routes = ""] = ["api.ts", "routes.ts"].map((name) => files.get(name));

describe("The generated types of the client", () => {
  it("have a method and a route for every operation except pages", () => {
    for (const { id, page } of allOperations) {
      expect(routes.includes(`  "${id}": "`), id).to.equal(!page);
      expect(types.includes(`  ${camelCase(id)}(params`), id).to.equal(!page);
    }
  });

  it("have every event that clients get", () => {
    for (const { type, op, internal, notServedYet } of allEvents) {
      const kind = op === undefined ? `type: "${type}";` : `type: "${type}";\n  op: "${op}";`;
      if (!internal && !notServedYet)
        expect(types.replaceAll("    ", "  ").includes(kind), kind).to.equal(true);
    }
  });

  it("never say any", () => {
    expect(types).not.to.match(/[:<|(]\s*any\b/);
  });

  it("name each type once", () => {
    const names = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(names).to.have.length.above(300);
    expect(new Set(names).size).to.equal(names.length);
  });

  it("write parameters, lists, choices and null", () => {
    const made = operation({
      id: "make-thing",
      method: "POST",
      path: "/api/v1/things/{thing_id}",
      pathParams: { thing_id: path.int() },
      access: "account",
      idempotencyKey: true,
      summary: "Make a thing",
      params: {
        name: form.text().describe("Not a */ comment."),
        kind: form.oneOf("a", "b").default("a"),
        to: form.json(z.union([z.string(), z.array(z.int())])).nullable(),
        later: form.bool().optional().ignored(),
      },
      result: { ids: z.array(z.union([z.int(), z.null()])), more: z.string().optional() },
    });
    const written = clientApi([made]);
    expect(written.get("routes.ts")).to.include(
      '"make-thing": "POST! /api/v1/things/{thing_id} to"',
    );
    const text = written.get("api.ts") ?? "";
    expect(text).to.include(
      [
        "export interface MakeThingParams {",
        "  readonly thing_id: number;",
        "  /** Not a *\\/ comment. */",
        "  readonly name: string;",
        '  /** Default: "a". */',
        '  readonly kind?: "a" | "b" | undefined;',
        "  readonly to: string | readonly number[] | null;",
        "}",
      ].join("\n"),
    );
    expect(text).to.match(/ids: \(number \| null\)\[\];\n {2}more\?: string;/);
    expect(text).to.include(
      "makeThing(params: MakeThingParams, options?: CallOptions): Promise<MakeThingResult>;",
    );
  });
});
