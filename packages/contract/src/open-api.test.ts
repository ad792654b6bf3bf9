import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import * as z from "zod";
import { allOperations, isOperation } from "./all-operations.ts";
import { apiReference } from "./api-reference.ts";
import { form } from "./primitives/form.ts";
import { openApi } from "./open-api.ts";
import { operation } from "./primitives/operation.ts";
import { path } from "./primitives/path.ts";
import { shape } from "./primitives/shape.ts";

const edit = operation({
  id: "edit-sample",
  method: "PATCH",
  path: "/api/v1/samples/{sample_id}",
  access: "administrator",
  params: {
    to: form.json(z.union([shape.id, z.array(shape.id)])).describe("Who gets it"),
    topic: form.text().optional().alias("subject"),
    days: form.intOr(["unlimited"], { min: 1 }).default("unlimited"),
    folder: form.id().nullable().optional(),
  },
  pathParams: { sample_id: path.int() },
  result: {
    sample: z.object({ id: z.int(), name: z.string().nullable() }),
    note: z.string().optional(),
  },
  missingIs404: true,
  errors: ["STREAM_DOES_NOT_EXIST"],
  summary: "Edit a sample",
});

const list = operation({
  id: "list-samples",
  method: "GET",
  path: "/api/v1/samples",
  access: "anyone",
  params: { ids: form.json(z.array(shape.id)).optional(), loud: form.bool().default(false) },
  result: { samples: z.array(z.int()) },
  summary: "List samples",
});

const options = { title: "Carillon", version: "1", serverUrl: "http://chat.test" };

/** All references in a document, wherever they are. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "$ref" ? [String(item)] : references(item),
  );
}

function at(document: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
}

describe("openApi", () => {
  const document = openApi([edit, list], options);
  const patch = at(document, "paths", "/api/v1/samples/{sample_id}", "patch");
  const get = at(document, "paths", "/api/v1/samples", "get");

  it("describes the form, with JSON parts marked", () => {
    expect(at(patch, "requestBody", "content")).to.deep.equal({
      "application/x-www-form-urlencoded": {
        schema: {
          type: "object",
          required: ["to"],
          properties: {
            to: {
              anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }],
              description: "Who gets it",
            },
            topic: { type: "string" },
            days: {
              oneOf: [
                { type: "integer", minimum: 1 },
                { type: "string", enum: ["unlimited"] },
              ],
              default: "unlimited",
            },
            folder: { type: "integer", nullable: true },
          },
        },
        encoding: {
          to: { contentType: "application/json" },
          folder: { contentType: "application/json" },
        },
      },
    });
  });

  it("puts the parameters of GET into the query", () => {
    expect(at(get, "parameters")).to.deep.equal([
      {
        name: "ids",
        in: "query",
        required: false,
        content: { "application/json": { schema: { type: "array", items: { type: "integer" } } } },
      },
      { name: "loud", in: "query", required: false, schema: { type: "boolean", default: false } },
    ]);
    expect(get).to.not.have.property("requestBody");
  });

  it("puts the parameters of DELETE into the query, because OpenAPI 3.0 leaves their bodies undefined", () => {
    const [remove] = Object.values(
      at(
        openApi([{ ...edit, method: "DELETE" }], options),
        "paths",
        "/api/v1/samples/{sample_id}",
      ) as object,
    );
    expect(remove).to.not.have.property("requestBody");
    const names = (at(remove, "parameters") as ReadonlyArray<{ name: string; in: string }>).map(
      (one) => `${one.in} ${one.name}`,
    );
    expect(names).to.deep.equal([
      "path sample_id",
      "query to",
      "query topic",
      "query days",
      "query folder",
    ]);
  });

  it("describes answers without envelope", () => {
    const raw = [
      { status: 200, about: "A picture", type: "image/png" },
      { status: 302, about: "Elsewhere" },
    ];
    const responses = at(
      openApi([{ ...list, raw }], options),
      "paths",
      list.path,
      "get",
      "responses",
    );
    expect(responses).to.deep.include({
      "200": { description: "A picture", content: { "image/png": {} } },
      "302": { description: "Elsewhere" },
    });
  });

  it("names the account whose message an example uses", () => {
    const remind = { ...list, access: "account" as const, params: {}, decoders: edit.decoders };
    const ofMessage = operation({
      id: "read-sample",
      method: "GET",
      path: "/api/v1/samples/{message_id}",
      access: "account",
      pathParams: { message_id: path.int() },
      params: {},
      result: {},
      summary: "Read a sample",
    });
    const described = openApi([ofMessage, remind], options);
    expect(at(described, "paths", ofMessage.path, "get", "description")).to.equal(
      "The example is by the account `member` after a first start; other accounts do not see its message.",
    );
    expect(at(described, "paths", list.path, "get")).to.not.have.property("description");
  });

  it("describes the path, the credentials, the answer and the refusals", () => {
    expect(at(patch, "parameters")).to.deep.equal([
      {
        name: "sample_id",
        in: "path",
        required: true,
        schema: { type: "integer", minimum: 0 },
      },
    ]);
    expect(at(patch, "security")).to.deep.equal([{ apiKey: [] }]);
    expect(at(get, "security")).to.deep.equal([]);
    expect(
      at(patch, "responses", "200", "content", "application/json", "schema", "allOf", "1"),
    ).to.deep.equal({
      type: "object",
      required: ["sample"],
      properties: {
        sample: {
          type: "object",
          required: ["id", "name"],
          properties: { id: { type: "integer" }, name: { type: "string", nullable: true } },
        },
        note: { type: "string" },
      },
    });
    expect(
      at(
        patch,
        "responses",
        "400",
        "content",
        "application/json",
        "schema",
        "allOf",
        "1",
        "properties",
        "code",
        "enum",
      ),
    ).to.deep.equal([
      "BAD_REQUEST",
      "REQUEST_VARIABLE_MISSING",
      "REQUEST_CONFUSING_VAR",
      "UNAUTHORIZED_PRINCIPAL",
      "STREAM_DOES_NOT_EXIST",
    ]);
    expect(patch).to.not.have.property("description");
    const example = (status: string) =>
      at(patch, "responses", status, "content", "application/json", "example", "code");
    expect(["400", "401", "429", "500"].map(example)).to.deep.equal([
      "STREAM_DOES_NOT_EXIST",
      "UNAUTHORIZED",
      "RATE_LIMIT_HIT",
      "INTERNAL_ERROR",
    ]);
    const refusals = ["200", "400", "401", "429", "500", "503"];
    expect(at(patch, "responses")).to.have.all.keys(...refusals, "404", "405", "413");
    expect(at(get, "responses")).to.have.all.keys("200", "400", "429", "500", "503");
  });
});

describe("the declared operations", () => {
  const document = openApi(allOperations, options);

  /** What is fetched from an address that clients make up or were given, such as a file, and what a mail links to. */
  /** Folders outside of the API: bytes, and addresses that mails have. */
  const elsewhere = /^\/(accounts|avatar|static|user_avatars|user_uploads)\//;

  it("have unique ids and routes, and paths below /api/v1", () => {
    const ids = allOperations.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)]);
    const routes = allOperations.map(({ method, path }) => `${method} ${path}`);
    expect(routes).to.deep.equal([...new Set(routes)]);
    for (const { id, path, page } of allOperations) {
      expect(id).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      if (!page && !elsewhere.test(path)) expect(path).to.match(/^\/api\/v1(\/(\w+|\{\w+\}))+$/);
    }
  });

  it("are all in the generated list", async () => {
    const ids = allOperations.map(({ id }) => id);
    const folder = dirname(fileURLToPath(import.meta.url));
    const files = (await readdir(folder, { recursive: true })).filter(
      (file) => file.includes(sep) && file.endsWith(".ts") && !file.endsWith(".test.ts"),
    );
    for (const file of files) {
      const module: Record<string, unknown> = await import(pathToFileURL(join(folder, file)).href);
      for (const operation of Object.values(module).filter(isOperation)) {
        expect(ids, `declared.ts lacks ${file}`).to.include(operation.id);
      }
    }
  });

  it("declare the marker of repeats on every answer, errors too, of those that take a key, and of no others", () => {
    for (const { id, method, path: route, idempotencyKey } of allOperations) {
      const answers = at(document, "paths", route, method.toLowerCase(), "responses") as object;
      for (const [status, answer] of Object.entries(answers)) {
        const marker = { ...(answer as { headers?: object }).headers };
        const names = idempotencyKey ? ["Idempotent-Replayed"] : [];
        expect(Object.keys(marker), `${id} ${status}`).to.deep.equal(names);
      }
    }
  });

  it("make a document without dangling references", () => {
    for (const reference of references(document)) {
      expect(at(document, ...reference.slice(2).split("/")), reference).to.be.an("object");
    }
    expect(JSON.parse(JSON.stringify(document))).to.deep.equal(document);
  });
});

describe("apiReference", () => {
  const pages = apiReference([edit, list]);

  it("has a page for each area and an index", () => {
    expect([...pages.keys()]).to.deep.equal(["README.md", "samples.md"]);
    expect(pages.get("README.md")).to.contain(
      "| `PATCH /api/v1/samples/{sample_id}` | [Edit a sample](samples.md) |",
    );
    expect(pages.get("README.md")).to.contain("| `REQUEST_CONFUSING_VAR` | 400 |");
  });

  it("describes parameters, answers, callers and errors", () => {
    const page = pages.get("samples.md");
    expect(page).to.contain("| `to` | integer or integer[] | yes | Who gets it |");
    expect(page).to.contain("| `topic` | string |  | Also as `subject`. |");
    expect(page).to.contain("does not exist: status 404, code `BAD_REQUEST`.");
    expect(page).to.contain('| `days` | integer or `unlimited` | default `"unlimited"` |  |');
    expect(page).to.contain("| `folder` | integer or null |  |  |");
    expect(page).to.contain("| `sample` | object (`id`, `name`) |  |");
    expect(page).to.contain("| `note` | string | not always |");
    expect(page).to.contain("Who: Administrators and owners of the organization.");
    expect(page).to.contain("`STREAM_DOES_NOT_EXIST`");
  });
});
