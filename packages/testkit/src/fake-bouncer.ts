import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  bouncerPaths,
  idempotencyHeader,
  type NotifyBody,
  type PushConfig,
  type PushRequest,
} from "@carillon/push";

import {
  refuses,
  type BouncerAnswer,
  type BouncerCall,
  type BouncerFault,
} from "./bouncer-faults.ts";
import { later } from "./later.ts";

/** The bouncer's behaviour; default: correct. */
export interface BouncerBehaviour {
  /** Applied to every call; `bouncer-faults.ts` has some. */
  readonly fault?: BouncerFault;
  /** Ignores idempotency keys, and delivers repeatedly. */
  readonly acceptsTwice?: boolean;
  /** Overrides of its response to `notify`; default: counts by the entries, no expired tokens, `can_push`. */
  readonly notifyAnswer?: Readonly<Record<string, unknown>>;
}

/** A push bouncer for tests: real HTTP, no push service, and faults on demand. */
export interface FakeBouncer {
  readonly url: string;
  /** The credentials of a registered server. */
  readonly config: PushConfig;
  /** The credentials as environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** All received calls, oldest first, failed ones included. */
  readonly calls: readonly BouncerCall[];
  /** Deliveries by calls of `notify`: each device once for an idempotency key, unless keys are ignored. */
  readonly handedOver: readonly NotifyBody[];
  /** Registrations by `register`, by `token_id`. */
  readonly registered: ReadonlyMap<string, URLSearchParams>;
  /** Replaces the behaviour. */
  behave(behaviour: BouncerBehaviour): void;
  /** Clears recorded calls, and resets the behaviour. */
  reset(): void;
  close(): Promise<void>;
}

const serverId = "6cde5f7a-1f7e-4978-9716-49f69ebfc9fe";
const serverKey = "fake-bouncer-server-key";

/** Starts a fake bouncer. @param timeoutMs of the clients of `config`; whole seconds for `variables` */
export async function startFakeBouncer(timeoutMs = 15_000): Promise<FakeBouncer> {
  const calls: BouncerCall[] = [];
  const handedOver: NotifyBody[] = [];
  /** Devices that were already delivered to, by idempotency key. */
  const devices = new Map<string, Set<string>>();
  const registered = new Map<string, URLSearchParams>();
  let behaviour: BouncerBehaviour = {};

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = callOf(request, Buffer.concat(chunks).toString());
    calls.push(call);
    const hands = { request, response, accept: () => accept(call) };
    const fault = isKnown(call) ? behaviour.fault : refuses(401, "INVALID_ZULIP_SERVER");
    const given = fault ? await fault(call, hands) : accept(call);
    if (given && !response.destroyed) send(response, given);
  }

  function accept(call: BouncerCall): BouncerAnswer {
    if (call.name === "register") {
      const fields = new URLSearchParams(call.body);
      registered.set(fields.get("token_id") ?? "", fields);
      return {};
    }
    if (call.name !== "notify") return { status: 404, body: { code: "BAD_REQUEST" } };
    const body = JSON.parse(call.body) as NotifyBody;
    const { idempotencyKey: key } = call;
    const before = (key !== undefined && !behaviour.acceptsTwice && devices.get(key)) || new Set();
    const isNew = (one: PushRequest) => !before.has(deviceOf(one));
    const push_requests = body.push_requests.filter(isNew);
    if (push_requests.length > 0) handedOver.push({ ...body, push_requests });
    if (key !== undefined) devices.set(key, new Set([...before, ...push_requests.map(deviceOf)]));
    const android = body.push_requests.filter((one) => "fcm_priority" in one).length;
    return {
      body: {
        android_successfully_sent_count: android,
        apple_successfully_sent_count: body.push_requests.length - android,
        delete_token_ids: [],
        realm_push_status: { can_push: true, expected_end_timestamp: null },
        ...behaviour.notifyAnswer,
      },
    };
  }

  const server = createServer((request, response) => {
    // Ignores clients that tests disconnect.
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    config: { url, serverId, serverKey, timeoutMs },
    variables: {
      PUSH_BOUNCER_URL: url,
      PUSH_SERVER_ID: serverId,
      PUSH_SERVER_KEY: serverKey,
      PUSH_TIMEOUT: String(timeoutMs / 1_000),
    },
    calls,
    handedOver,
    registered,
    behave: (given) => void (behaviour = given),
    reset() {
      calls.length = 0;
      handedOver.length = 0;
      devices.clear();
      registered.clear();
      behaviour = {};
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A fake bouncer for the tests of the enclosing `describe`, reset to correct behaviour before each. */
export function useFakeBouncer(timeoutMs?: number): FakeBouncer {
  const { value, set } = later<FakeBouncer>("the bouncer");
  let bouncer: FakeBouncer | undefined;
  before("start a push bouncer", async () => {
    bouncer = await startFakeBouncer(timeoutMs);
    set(bouncer);
  });
  beforeEach(() => bouncer?.reset());
  after("stop the push bouncer", async () => {
    set(undefined);
    await bouncer?.close();
  });
  return value;
}

function deviceOf({ token_id, payload }: PushRequest): string {
  return `${token_id}:${payload.push_key_id}`;
}

function isKnown({ headers }: BouncerCall): boolean {
  const basic = Buffer.from(`${serverId}:${serverKey}`).toString("base64");
  return headers["authorization"] === `Basic ${basic}`;
}

function callOf({ url, headers }: IncomingMessage, body: string): BouncerCall {
  const known = Object.entries(bouncerPaths).find(([, path]) => path === url);
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const flat = Object.fromEntries(texts);
  return {
    name: known?.[0] ?? url ?? "",
    headers: flat,
    body,
    idempotencyKey: flat[idempotencyHeader],
  };
}

function send(response: ServerResponse, answer: BouncerAnswer): void {
  const { status = 200, headers, body, text } = answer;
  const envelope = { result: status === 200 ? "success" : "error", msg: "" };
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(text ?? JSON.stringify({ ...envelope, ...body }));
}
