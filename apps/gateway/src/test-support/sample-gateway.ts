import { once } from "node:events";
import { request, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { errors, form, operation, path, type Operation } from "@carillon/contract";
import { createLogger } from "@carillon/kit";
import * as z from "zod";
import { buildApp, type AppOptions } from "../app.ts";
import type { Actor, Authenticate } from "../http/actor.ts";
import { handlerFor, type Handler } from "../http/handler.ts";
import { createGatewayServer } from "../http/server.ts";

/** A gateway with made-up operations and accounts, for the tests of `http`. */

const account: Actor = {
  id: 1,
  realmId: 1,
  role: 400,
  isBot: false,
  botType: null,
};

/** Accounts by API key; the address is the key with a domain. */
export const accounts: Record<string, Actor> = {
  owner: { ...account, id: 2, role: 100 },
  admin: { ...account, id: 3, role: 200 },
  moderator: { ...account, id: 4, role: 300 },
  member: account,
  guest: { ...account, id: 5, role: 600 },
  bot: { ...account, id: 6, isBot: true, botType: 1 },
  webhook: { ...account, id: 7, isBot: true, botType: 2 },
};

const authenticate: Authenticate = async ({ email, apiKey }) => {
  const actor = accounts[apiKey];
  if (!actor) return { refused: "unknown key" };
  return email?.toLowerCase() === `${apiKey}@carillon.test`
    ? actor
    : { refused: "another address" };
};

export const echo = operation({
  id: "echo",
  method: "POST",
  path: "/api/v1/echo",
  access: "account",
  params: {
    content: form.text(),
    topic: form.text().optional().alias("subject"),
    limit: form.int().default(5),
    ids: form.json(z.array(z.int())).optional(),
  },
  result: { input: z.unknown(), client: z.string() },
  errors: ["STREAM_DOES_NOT_EXIST"],
  summary: "Echo",
});

const handle = handlerFor<{ log: string[] }>();

/** An operation that answers with its input and path. */
function mirror(declared: Operation): Handler<{ log: string[] }> {
  return handle(
    { ...declared, result: { input: z.unknown(), path: z.unknown() } },
    async (context) => ({
      input: context.input,
      path: context.path,
    }),
  );
}

const content = { content: form.text() };
const optional = { content: form.text().optional() };

export const sampleHandlers: readonly Handler<{ log: string[] }>[] = [
  handle(echo, async ({ input, client }) => ({ input, client })),
  handle(
    operation({
      id: "crash",
      method: "POST",
      path: "/api/v1/crash",
      access: "anyone",
      summary: "Crash",
    }),
    async () => {
      throw new Error("the secret reason");
    },
  ),
  handle(
    operation({
      id: "get-nothing",
      method: "GET",
      path: "/api/v1/nothing",
      access: "account",
      summary: "Nothing",
    }),
    async () => {},
  ),
  handle(
    operation({
      id: "refuse",
      method: "GET",
      path: "/api/v1/refuse",
      access: "anyone",
      errors: ["STREAM_DOES_NOT_EXIST"],
      summary: "Refuse",
    }),
    async () => {
      throw errors.streamDoesNotExist({ stream_id: 5 });
    },
  ),
  ...[
    operation({
      id: "list",
      method: "GET",
      path: "/api/v1/echo",
      access: "account",
      params: optional,
      summary: "x",
    }),
    operation({
      id: "put",
      method: "PUT",
      path: "/api/v1/echo",
      access: "account",
      params: content,
      summary: "x",
    }),
    operation({
      id: "patch",
      method: "PATCH",
      path: "/api/v1/echo",
      access: "account",
      params: content,
      summary: "x",
    }),
    operation({
      id: "delete",
      method: "DELETE",
      path: "/api/v1/echo",
      access: "account",
      params: content,
      summary: "x",
    }),
    operation({
      id: "patch-thing",
      method: "PATCH",
      path: "/api/v1/things/{thing_id}",
      access: "account",
      params: optional,
      pathParams: { thing_id: path.int() },
      summary: "x",
    }),
    operation({
      id: "login",
      method: "POST",
      path: "/api/v1/login",
      access: "anyone",
      params: optional,
      summary: "x",
    }),
    operation({
      id: "me",
      method: "GET",
      path: "/api/v1/users/me",
      access: "account",
      summary: "x",
    }),
    operation({
      id: "user",
      method: "GET",
      path: "/api/v1/users/{user_id}",
      access: "account",
      pathParams: { user_id: path.int() },
      summary: "x",
    }),
    operation({
      id: "edit-user",
      method: "PATCH",
      path: "/api/v1/users/{id}",
      access: "account",
      pathParams: { id: path.int() },
      summary: "x",
    }),
    operation({
      id: "user-by-email",
      method: "GET",
      path: "/api/v1/users/{email}",
      access: "account",
      pathParams: { email: path.text() },
      summary: "x",
    }),
    operation({
      id: "delete-view",
      method: "DELETE",
      path: "/api/v1/views/{fragment}",
      access: "account",
      pathParams: { fragment: path.rest() },
      summary: "x",
    }),
    operation({
      id: "small",
      method: "POST",
      path: "/api/v1/small",
      access: "account",
      params: optional,
      bodyLimit: 1_000,
      summary: "x",
    }),
    operation({
      id: "webhook",
      method: "POST",
      path: "/api/v1/webhook",
      access: "account",
      webhookBots: true,
      summary: "x",
    }),
    operation({
      id: "gate-bot-storage",
      method: "PUT",
      path: "/api/v1/gates/bot",
      access: "bot",
      accessError: "PERMISSION_DENIED",
      params: content,
      summary: "x",
    }),
    ...(["human", "bot", "non-guest", "administrator", "owner"] as const).map((access) =>
      operation({
        id: `gate-${access}`,
        method: "POST",
        path: `/api/v1/gates/${access}`,
        access,
        params: content,
        summary: "x",
      }),
    ),
  ].map(mirror),
];

export interface Gateway {
  readonly port: number;
  readonly server: Server;
  /** The lines of the log so far, parsed. */
  readonly lines: Array<Record<string, unknown>>;
  send(method: string, target: string, options?: SendOptions): Promise<Reply>;
  /** Sends a request without credentials, and returns the bytes of the answer as they come. */
  fetchBytes(
    path: string,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<BytesReply>;
  stop(): Promise<void>;
}

export interface SendOptions {
  /** The key of an account, `member` unless given; null sends no credentials. */
  readonly as?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: string;
  readonly body?: string | Buffer | Readable;
}

export interface BytesReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body. */
  readonly json: Record<string, unknown>;
}

/** Starts a gateway on a free port. */
export async function startGateway(
  options: Partial<AppOptions<{ log: string[] }>> = {},
): Promise<Gateway> {
  const lines: Array<Record<string, unknown>> = [];
  const destination = new PassThrough().on("data", (line: Buffer) => {
    lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
  });
  const handlers = options.handlers ?? sampleHandlers;
  const app = buildApp({
    operations: handlers.map((handler) => handler.operation),
    handlers,
    services: { log: [] },
    authenticate,
    log: createLogger("gateway", { destination }),
    checkResults: true,
    ...options,
  });
  const server = createGatewayServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    server,
    lines,
    send: (method, target, sent) => send(port, method, target, sent),
    async fetchBytes(path, headers = {}, method = "GET") {
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return readReply(response);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The value of an `Authorization` header. */
export function basic(text: string | Buffer): string {
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

async function send(
  port: number,
  method: string,
  target: string,
  options: SendOptions = {},
): Promise<Reply> {
  const key = options.as === undefined ? "member" : options.as;
  const body = options.form ?? options.body;
  const headers = {
    ...(key === null ? {} : { Authorization: basic(`${key}@carillon.test:${key}`) }),
    ...(options.form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
    ...(typeof body === "string" || Buffer.isBuffer(body)
      ? { "Content-Length": Buffer.byteLength(body) }
      : {}),
    ...options.headers,
  };
  const sent = request({ host: "127.0.0.1", port, method, path: target, headers, agent: false });
  // A refusal may come, and the connection end, while the body is still on its way.
  const answered = once(sent, "response");
  sent.on("error", () => {});
  if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) sent.end(body);
  else body.pipe(sent);
  const [response] = (await answered) as [IncomingMessage];
  const reply = await readReply(response);
  const text = reply.body.toString();
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    json: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

async function readReply(response: IncomingMessage): Promise<BytesReply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode: status = 0, headers } = response;
  return { status, headers, body: Buffer.concat(chunks) };
}
