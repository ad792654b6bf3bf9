import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importSPKI, jwtVerify } from "jose";
import type { ServiceAccount } from "../providers/fcm/service-account.ts";

/** A message that the server has received. */
export interface FcmMessage {
  readonly token: string;
  readonly data: Readonly<Record<string, string>>;
  readonly android: { readonly priority: string; readonly ttl: string };
}

/** An answer, or `hang` or `drop` for none. */
export type FcmAnswer = { readonly status: number; readonly json: unknown } | "hang" | "drop";

/** Google's token exchange and `messages:send`, over HTTP. */
export interface FcmServer {
  readonly url: string;
  /** Content of the file of its service account. */
  readonly credentials: string;
  readonly messages: FcmMessage[];
  /** Number of issued access tokens. */
  grants: number;
  /** Returns the answer to a message; by default a success with the message's `name`. */
  answer: (message: FcmMessage) => FcmAnswer;
  /** Returns the answer to an assertion; undefined for an access token. */
  exchange: () => FcmAnswer | undefined;
  /** Returns the time in UNIX milliseconds, by which assertions expire. */
  now: () => number;
  /** Revokes the current access token. */
  expire(): void;
  close(): Promise<void>;
}

const email = "push@carillon-test.iam.gserviceaccount.com";
export const projectId = "carillon-test";

/** The service account's key: one for all servers of a process, because an RSA key takes 200 ms of a processor to make. */
let keys: ReturnType<typeof makeKeys> | undefined;
const makeKeys = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });

/** Starts the server. It checks assertions and access tokens as Google does. */
export async function startFcmServer(): Promise<FcmServer> {
  const { publicKey, privateKey } = (keys ??= makeKeys());
  const verifier = await importSPKI(publicKey, "RS256");
  let valid = "";

  const http = createServer((request, response) => void serve(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tokenUri = `${url}/token`;

  const server: FcmServer = {
    url,
    credentials: JSON.stringify({
      type: "service_account",
      project_id: projectId,
      private_key_id: "key-1",
      private_key: privateKey,
      client_email: email,
      token_uri: tokenUri,
    }),
    messages: [],
    grants: 0,
    answer: () => ({ status: 200, json: { name: `projects/${projectId}/messages/1` } }),
    exchange: () => undefined,
    now: () => Date.now(),
    expire: () => (valid = ""),
    async close() {
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const said = request.url === "/token" ? await exchange(text) : take(request, text);
    if (said === "drop") response.destroy();
    if (typeof said === "string") return;
    response.writeHead(said.status, { "content-type": "application/json" });
    response.end(typeof said.json === "string" ? said.json : JSON.stringify(said.json));
  }

  async function exchange(text: string): Promise<FcmAnswer> {
    const other = server.exchange();
    if (other) return other;
    const form = new URLSearchParams(text);
    const granted =
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
      (await jwtVerify(form.get("assertion") ?? "", verifier, {
        algorithms: ["RS256"],
        issuer: email,
        audience: tokenUri,
        currentDate: new Date(server.now()),
        maxTokenAge: "1h",
        requiredClaims: ["exp"],
      }).then(
        ({ payload, protectedHeader }) =>
          payload["scope"] === "https://www.googleapis.com/auth/firebase.messaging" &&
          protectedHeader.kid === "key-1",
        () => false,
      ));
    if (!granted) return { status: 400, json: { error: "invalid_grant" } };
    valid = `access-${++server.grants}`;
    return { status: 200, json: { access_token: valid, expires_in: 3_599, token_type: "Bearer" } };
  }

  function take(request: IncomingMessage, text: string): FcmAnswer {
    const path = `/v1/projects/${projectId}/messages:send`;
    if (request.url !== path || request.method !== "POST") return { status: 404, json: "no page" };
    if (valid === "" || request.headers.authorization !== `Bearer ${valid}`)
      return { status: 401, json: { error: { code: 401, status: "UNAUTHENTICATED" } } };
    const { message } = JSON.parse(text) as { message: FcmMessage };
    server.messages.push(message);
    return server.answer(message);
  }

  return server;
}

/** Writes the server's credentials to a file, and reads the service account from it. */
export async function accountOf(
  server: FcmServer,
  read: (path: string) => Promise<ServiceAccount>,
): Promise<ServiceAccount> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-fcm-"));
  const path = join(folder, "account.json");
  await writeFile(path, server.credentials);
  try {
    return await read(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
