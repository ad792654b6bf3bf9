import * as z from "zod";
import { codesOf } from "./answers.ts";
import { areaOf } from "./area.ts";
import { errorCodes } from "./primitives/error-codes.ts";
import { aboutExamples, beforeExamples } from "./examples/before.ts";
import { curlExample } from "./examples/curl.ts";
import { parameterSchema, schemaOf } from "./primitives/json-schema.ts";
import type { Access, Operation, RawAnswer } from "./primitives/operation.ts";
import type { JsonSchema } from "./primitives/parameter.ts";
import { typeText } from "./primitives/type-text.ts";

/** Writes the pages of `docs/api/`, by file name: one for each area, and an index with what all operations share. */
export function apiReference(operations: readonly Operation[]): Map<string, string> {
  const areas = new Map<string, Operation[]>();
  for (const operation of operations) {
    const area = areaOf(operation);
    areas.set(area, [...(areas.get(area) ?? []), operation]);
  }
  const pages = new Map([["README.md", index(areas)]]);
  for (const [area, members] of areas) {
    pages.set(
      `${area}.md`,
      page([`# ${area}`, generated, ...members.flatMap((one) => section(one, operations))]),
    );
  }
  return pages;
}

const generated = "Generated from `packages/contract` by `npm run generate`; do not edit.";

/** The address of a server that `npm start` runs. */
const demoUrl = "http://127.0.0.1:9991";

const callers: Record<Access, string> = {
  anyone: "Anyone; credentials are not read.",
  account: "Every account.",
  human: "People, not bots.",
  bot: "Bots.",
  "non-guest": "Everybody but guests.",
  administrator: "Administrators and owners of the organization.",
  owner: "Owners of the organization.",
};

function index(areas: ReadonlyMap<string, readonly Operation[]>): string {
  const operations = [...areas].flatMap(([area, members]) =>
    members.map(
      ({ method, path, summary }) => `| \`${method} ${path}\` | [${summary}](${area}.md) |`,
    ),
  );
  const codes = Object.entries(errorCodes).map(([code, { status, when, ...rest }]) => {
    const fields = "fields" in rest ? rest.fields.map((field) => `\`${field}\``).join(", ") : "";
    return `| \`${code}\` | ${status} | ${when} | ${fields} |`;
  });
  return page([
    "# The API",
    generated,
    "Log in with HTTP Basic: the account's e-mail address and its API key. Parameters are form fields, in the query " +
      "string or in the body (`application/x-www-form-urlencoded` or `multipart/form-data`); arrays and objects are " +
      "JSON text. Every answer is a JSON object with `result` and `msg`; errors have a `code`. A success lists the " +
      "names of parameters that the operation does not have, or that have no effect yet, as " +
      "`ignored_parameters_unsupported`.",
    ["| operation | |", "| --- | --- |", ...operations].join("\n"),
    "Changes are sent to clients as events: [event types](event-types.md).",
    "A running server has all this as a page at `/api`, and as an OpenAPI document at `/api/v1/openapi.json`.",
    "## Safe repeats",
    "Operations that say so take the header `Idempotency-Key`: any 1 to 255 visible ASCII characters without quotation " +
      "marks and commas, such as a UUID, and a new one for each action. If no answer arrives, or 409, 429 or " +
      "5xx, send the same request with the same key again: for 24 hours it is carried out at most once, and a repeat gets " +
      "the first answer, with the header `Idempotent-Replayed: true`. " +
      "[The rules](../protocol/once-and-again.md#1-idempotency-keys).",
    "## Examples",
    aboutExamples,
    `\`\`\`sh\n${beforeExamples}\n\`\`\``,
    "## Generated clients",
    "For JavaScript and TypeScript there is [a client](../../packages/client/README.md) with types of all operations and events. " +
      "For other languages, generators read the OpenAPI document. Parameters that are JSON are marked so in the document: `encoding` of a form, `content` of the query. " +
      "Few generators look at that. Of those that were tried, openapi-python-client 0.29 leaves JSON parameters of the " +
      "query out and repeats names for lists in forms; openapi-generator 7.26 (python) joins lists with commas, and oapi-codegen 2.8 " +
      "numbers their items. A client of openapi-python-client sends all forms right with the class of " +
      "`test/clients/programs/json_forms.py` in place of its `httpx.Client`; `npm run test:clients` schedules, lists and " +
      "deletes messages that way.",
    "## Errors",
    ["| code | status | when | fields |", "| --- | --- | --- | --- |", ...codes].join("\n"),
  ]);
}

function section(operation: Operation, operations: readonly Operation[]): string[] {
  const { method, path, summary, description } = operation;
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    ...(description === undefined ? [] : [description]),
    `Who: ${callers[operation.access]}${operation.webhookBots ? " Incoming-webhook bots too." : ""}`,
    ...parameterTable(operation),
    ...(operation.takesFile
      ? [
          "The body is `multipart/form-data`, with the file as its only file part; the part may have any name.",
        ]
      : []),
    ...(operation.bytesType === undefined
      ? []
      : [`The body has the bytes, with the content type \`${operation.bytesType}\`.`]),
    ...(operation.takesPayload
      ? ["The body is the payload, as JSON or in a form; the parameters are in the query."]
      : []),
    ...(operation.idempotencyKey
      ? ["Safe to repeat with the header [`Idempotency-Key`](README.md#safe-repeats)."]
      : []),
    ...(operation.raw ? rawAnswers(operation.raw) : resultTable(operation)),
    `Errors: ${codesOf(operation)
      .map((code) => `\`${code}\``)
      .join(", ")}.`,
    ...(operation.missingIs404
      ? ["If the target of the path does not exist: status 404, code `BAD_REQUEST`."]
      : []),
    `\`\`\`sh\n${curlExample(operation, operations, demoUrl)}\n\`\`\``,
  ];
}

function parameterTable(operation: Operation): string[] {
  const inPath = operation.pathDecoders.map(
    ({ name, parameter }) => `| \`${name}\` | ${typeText(parameter.schema)} | in the path | |`,
  );
  const sent = operation.decoders.map(({ name, aliases, parameter }) => {
    const { required, fallback, description = "" } = parameter.presence;
    const presence = required
      ? "yes"
      : fallback === undefined
        ? ""
        : `default \`${JSON.stringify(fallback)}\``;
    const also =
      aliases.length > 0 ? ` Also as ${aliases.map((alias) => `\`${alias}\``).join(", ")}.` : "";
    return `| \`${name}\` | ${typeText(parameterSchema(parameter))} | ${presence} | ${cell(description + also)} |`;
  });
  const inHeaders = (operation.headers ?? []).map(
    ({ name, about, required }) =>
      `| \`${name}\` | header | ${required ? "yes" : ""} | ${cell(about)} |`,
  );
  if (inPath.length + sent.length + inHeaders.length === 0) return ["No parameters."];
  return [
    [
      "| parameter | type | required | |",
      "| --- | --- | --- | --- |",
      ...inPath,
      ...sent,
      ...inHeaders,
    ].join("\n"),
  ];
}

function rawAnswers(answers: readonly RawAnswer[]): string[] {
  const lines = answers.map(
    ({ status, about, type }) => `- ${status}${type === undefined ? "" : `, ${type}`}: ${about}`,
  );
  return ["The answer has no envelope:", lines.join("\n")];
}

function resultTable(operation: Operation): string[] {
  const { properties = {}, required = [] } = schemaOf(z.object(operation.result), "output");
  const rows = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const sometimes = (required as readonly string[]).includes(name) ? "" : "not always ";
    const text = typeof schema["description"] === "string" ? schema["description"] : "";
    return `| \`${name}\` | ${typeText(schema)} | ${cell(sometimes + text)} |`;
  });
  if (rows.length === 0) return ["The answer has no extra fields."];
  return [["| answer | type | |", "| --- | --- | --- |", ...rows].join("\n")];
}

function cell(text: string): string {
  return text
    .trim()
    .replaceAll("|", String.raw`\|`)
    .replaceAll("\n", " ");
}

function page(blocks: readonly string[]): string {
  return `${blocks.join("\n\n")}\n`;
}
