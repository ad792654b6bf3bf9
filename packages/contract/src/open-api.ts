import * as z from "zod";
import { refusalsOf } from "./answers.ts";
import { areaOf } from "./area.ts";
import { errorCodes, type ErrorCode } from "./primitives/error-codes.ts";
import { eventWebhooks } from "./events/event-webhooks.ts";
import { getEvents } from "./operations/event-queues.ts";
import { aboutExamples, beforeExamples } from "./examples/before.ts";
import { curlExample } from "./examples/curl.ts";
import { exampleOf } from "./examples/example-of.ts";
import { shownExample } from "./examples/shown.ts";
import { parameterSchema, schemaOf } from "./primitives/json-schema.ts";
import type { Operation } from "./primitives/operation.ts";
import type { JsonSchema, Parameter } from "./primitives/parameter.ts";

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  /** The address that clients use, without a trailing slash. */
  readonly serverUrl: string;
}

/** Writes the operations as an OpenAPI 3.0 document. */
export function openApi(
  operations: readonly Operation[],
  options: OpenApiOptions,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const hasEvents = operations.some(({ id }) => id === getEvents.id);
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = {
      ...describe(operation),
      "x-codeSamples": [
        {
          lang: "Shell",
          label: "curl",
          source: curlExample(operation, operations, options.serverUrl),
        },
      ],
    };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: options.title,
      version: options.version,
      description: [aboutExamples, `\`\`\`sh\n${beforeExamples}\n\`\`\``].join("\n\n"),
    },
    servers: [{ url: options.serverUrl }],
    paths,
    // OpenAPI 3.0 has no webhooks: this extension has the form of the `webhooks` of 3.1.
    ...(hasEvents ? { "x-webhooks": eventWebhooks() } : {}),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "basic",
          description: "The account's e-mail address and its API key.",
        },
        ...(operations.some(({ takesPayload }) => takesPayload)
          ? {
              botKey: {
                type: "apiKey",
                in: "query",
                name: "api_key",
                description:
                  "The API key of a bot, for programs that can only be given an address.",
              },
            }
          : {}),
      },
      schemas: { Success: success, Error: failure },
    },
  };
}

const success: JsonSchema = {
  type: "object",
  required: ["result", "msg"],
  properties: {
    result: { type: "string", enum: ["success"] },
    msg: { type: "string", enum: [""] },
    ignored_parameters_unsupported: {
      type: "array",
      items: { type: "string" },
      description:
        "Names of sent parameters that the operation does not have, or that have no effect yet; absent when there are none.",
    },
  },
};

const failure: JsonSchema = {
  type: "object",
  required: ["result", "msg", "code"],
  properties: {
    result: { type: "string", enum: ["error"] },
    msg: { type: "string", description: "For people; do not parse it." },
    code: { type: "string", enum: Object.keys(errorCodes) },
  },
};

/** The header of a request that may be repeated. */
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request safe to repeat: for 24 hours a repeat with the same key and the same parameters gets the answer of " +
    "the first one, and nothing happens again. Visible ASCII without quotation marks and commas, or a quoted string.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!#-+--~]+$" },
};

/** The header of answers to requests with a key, errors too. */
const idempotentReplayed = {
  "Idempotent-Replayed": {
    description:
      "Whether this is the stored answer of an earlier request. Present if the request has an `Idempotency-Key` and has " +
      "passed the checks of credentials and rate limit.",
    schema: { type: "string", enum: ["true", "false"] },
  },
};

function describe(operation: Operation): Record<string, unknown> {
  // Neither HTTP nor OpenAPI 3.0 defines the body of a DELETE request, so generated clients send none.
  const inBody = !["GET", "DELETE", "HEAD"].includes(operation.method) && !operation.takesPayload;
  return {
    operationId: operation.id,
    tags: [areaOf(operation)],
    summary: operation.summary,
    ...descriptionOf(
      [operation.description, exampleCaller(operation)].filter(Boolean).join("\n\n"),
    ),
    security: securityOf(operation),
    parameters: [
      ...pathParameters(operation),
      ...(inBody ? [] : queryParameters(operation)),
      ...headerParameters(operation),
      ...(operation.idempotencyKey ? [idempotencyKey] : []),
    ],
    ...(operation.takesPayload ? { requestBody: payloadBody(operation) } : {}),
    ...(operation.bytesType === undefined
      ? inBody && (operation.decoders.length > 0 || operation.takesFile)
        ? { requestBody: requestBody(operation) }
        : {}
      : { requestBody: { required: true, content: { [operation.bytesType]: {} } } }),
    responses: { ...successes(operation), ...errorResponses(operation) },
  };
}

/** Describes the body with the payload of another program, whose shape depends on the program. */
function payloadBody(operation: Operation): object {
  const { bytes } = exampleOf(operation);
  const example = bytes === undefined ? {} : { example: JSON.parse(bytes) as unknown };
  return { required: true, content: { "application/json": { schema: {}, ...example } } };
}

/** A payload may come with the key of a bot as a parameter. */
function securityOf({ access, takesPayload }: Operation): object[] {
  if (access === "anyone") return [];
  return takesPayload ? [{ botKey: [] }, { apiKey: [] }] : [{ apiKey: [] }];
}

/** Names the caller of an example about a message, which other accounts may not see. */
function exampleCaller(operation: Operation): string | undefined {
  const { as, path, params } = exampleOf(operation);
  const isOfPerson = [path, params].some((values) => "message_id" in values);
  return as !== undefined && isOfPerson
    ? `The example is by the account \`${as}\` after a first start; other accounts do not see its message.`
    : undefined;
}

function pathParameters(operation: Operation): object[] {
  return operation.pathDecoders.map(({ name, parameter }) => ({
    name,
    in: "path",
    required: true,
    schema: parameter.schema,
    ...exampleOfParameter(operation, name),
  }));
}

function queryParameters(operation: Operation): object[] {
  return operation.decoders.map(({ name, parameter }) => {
    const schema = parameterSchema(parameter);
    return {
      name,
      in: "query",
      required: parameter.presence.required,
      ...descriptionOf(parameter.presence.description),
      ...(isJson(parameter)
        ? { content: { "application/json": { schema, ...exampleOfParameter(operation, name) } } }
        : { schema, ...exampleOfParameter(operation, name) }),
    };
  });
}

function headerParameters({ headers = [] }: Operation): object[] {
  return headers.map(({ name, about, required }) => ({
    name,
    in: "header",
    required,
    description: about,
    schema: { type: "string" },
  }));
}

/** The name of the file part in the document; the server takes any. */
const filePart = "file";

function requestBody(operation: Operation): object {
  const required = operation.decoders
    .filter(({ parameter }) => parameter.presence.required)
    .map(({ name }) => name);
  if (operation.takesFile) required.push(filePart);
  const schema = {
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries<object>(
      operation.decoders.map(({ name, parameter }) => [
        name,
        {
          ...parameterSchema(parameter),
          ...descriptionOf(parameter.presence.description),
          ...exampleOfParameter(operation, name),
        },
      ]),
    ),
  };
  if (operation.takesFile) schema.properties[filePart] = { type: "string", format: "binary" };
  const encoding = Object.fromEntries(
    operation.decoders
      .filter(({ parameter }) => isJson(parameter))
      .map(({ name }) => [name, { contentType: "application/json" }]),
  );
  const form = { schema, ...(Object.keys(encoding).length > 0 ? { encoding } : {}) };
  return {
    required: required.length > 0,
    // The server reads multipart forms too; with two descriptions generators would duplicate every method.
    content: {
      [operation.takesFile ? "multipart/form-data" : "application/x-www-form-urlencoded"]: form,
    },
  };
}

function exampleOfParameter(operation: Operation, name: string): { example?: unknown } {
  const example = shownExample(operation, name);
  return example === undefined ? {} : { example };
}

/** Whether its text is written as JSON: an array, an object, or a nullable value. */
function isJson({ codec, presence }: Parameter<unknown>): boolean {
  return codec.json || (presence.nullIs !== "refused" && codec.schema["type"] !== "string");
}

function successes(operation: Operation): Record<string, object> {
  if (!operation.raw) return { "200": successResponse(operation) };
  return Object.fromEntries(
    operation.raw.map(({ status, about, type }) => [
      String(status),
      { description: about, ...(type === undefined ? {} : { content: { [type]: {} } }) },
    ]),
  );
}

function successResponse(operation: Operation): object {
  const { type, properties, required } = schemaOf(z.object(operation.result), "output");
  // OpenAPI forbids an empty list of required names.
  const object = { type, properties, ...(required ? { required } : {}) };
  const own = Object.keys(operation.result).length > 0 ? [object] : [];
  const answer = { allOf: [{ $ref: "#/components/schemas/Success" }, ...own] };
  const refusals = refusalsOf(operation).get(200);
  const response = json(
    refusals ? `Success, or a refusal: ${aboutCodes([...refusals])}` : "Success",
    refusals ? { oneOf: [answer, refusalSchema([...refusals])] } : answer,
  );
  return { ...response, ...headersOf(operation) };
}

function headersOf({ idempotencyKey: takesKey }: Operation): { headers?: object } {
  return takesKey ? { headers: idempotentReplayed } : {};
}

function errorResponses(operation: Operation): Record<string, object> {
  const byStatus = [...refusalsOf(operation)]
    .filter(([status]) => status !== 200)
    .map(([status, codes]) => [String(status), [...codes]] as const);
  return Object.fromEntries(
    byStatus.map(([status, codes]) => [
      status,
      {
        ...refusal(
          operation,
          aboutCodes(codes),
          refusalSchema(codes),
          errorExample(mostSpecificCode(operation, codes)),
        ),
        ...headersOf(operation),
      },
    ]),
  );
}

function aboutCodes(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${errorCodes[code].when}.`).join("\n\n");
}

function refusalSchema(codes: readonly ErrorCode[]): JsonSchema {
  return {
    allOf: [
      { $ref: "#/components/schemas/Error" },
      {
        type: "object",
        properties: { code: { type: "string", enum: codes }, ...extraFields(codes) },
      },
    ],
  };
}

/** Returns the fields that the codes add to an error; their types are in the texts. */
function extraFields(codes: readonly ErrorCode[]): Record<string, object> {
  const names = codes.flatMap((code) =>
    "fields" in errorCodes[code] ? errorCodes[code].fields : [],
  );
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** Chooses the most specific code: the operation's own before those that any operation has. */
function mostSpecificCode({ errors }: Operation, codes: readonly ErrorCode[]): ErrorCode {
  return errors.find((code) => codes.includes(code) && code !== "BAD_REQUEST") ?? codes[0]!;
}

/** Makes the example of an error response. Without it, viewers would show the first code of the enum for every error. */
function errorExample(code: ErrorCode): object {
  return { result: "error", msg: errorCodes[code].when, code };
}

/** Describes an error response. The errors of a page are pages. */
function refusal({ page }: Operation, description: string, schema: JsonSchema, example: object) {
  return page ? { description, content: { "text/html": {} } } : json(description, schema, example);
}

function json(description: string, schema: JsonSchema, example?: object): object {
  const shown = example === undefined ? {} : { example };
  return { description, content: { "application/json": { schema, ...shown } } };
}

function descriptionOf(description: string | undefined): { description?: string } {
  return description ? { description } : {};
}
