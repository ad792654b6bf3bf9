import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { certificate } from "@carillon/testkit";
import { importPKCS8, importSPKI, jwtVerify } from "jose";
import type { ApnsKey } from "../providers/apns/key.ts";

/** A notification as it was sent. */
export interface ApnsPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The connection that it came over, counted from 1. */
  readonly connection: number;
  readonly session: ServerHttp2Session;
  readonly stream: ServerHttp2Stream;
}

/** An answer; `hang` for none, and `gone` if the test has ended the stream or the connection. */
export type ApnsAnswer =
  | { readonly status: number; readonly reason?: string; readonly timestamp?: number }
  | "hang"
  | "gone";

/** APNs, over HTTP/2 with TLS. */
export interface ApnsServer {
  readonly url: string;
  readonly ca: string;
  /** A key that it knows. */
  readonly key: ApnsKey;
  readonly pushes: ApnsPush[];
  connections: number;
  answer: (push: ApnsPush) => ApnsAnswer;
  /** UNIX milliseconds; decides how old a provider's token is. */
  now: () => number;
  close(): Promise<void>;
}

const keyId = "KEY1234567";
const teamId = "TEAM123456";

/** Starts the server. It checks the signature, the age and the fields of each provider token. */
export async function startApnsServer(): Promise<ApnsServer> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const verifier = await importSPKI(publicKey, "ES256");
  const http = createSecureServer(certificate);
  const sessions = new Map<ServerHttp2Session, number>();
  http.on("session", (session) => {
    sessions.set(session, ++server.connections);
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
  });
  http.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    void serve(stream, headers);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");

  const server: ApnsServer = {
    url: `https://127.0.0.1:${(http.address() as AddressInfo).port}`,
    ca: certificate.cert,
    key: { privateKey: await importPKCS8(privateKey, "ES256"), keyId, teamId },
    pushes: [],
    connections: 0,
    answer: () => ({ status: 200 }),
    now: () => Date.now(),
    async close() {
      const closed = once(http, "close");
      http.close();
      for (const session of sessions.keys()) session.destroy();
      await closed;
    },
  };

  async function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const session = stream.session as ServerHttp2Session;
    const connection = sessions.get(session) ?? 0;
    let text = "";
    for await (const chunk of stream) text += String(chunk);
    const refusal = await tokenRefusal(headers.authorization);
    const path = String(headers[":path"]);
    const push = { path, headers, body: JSON.parse(text) as unknown, connection, session, stream };
    if (!refusal) server.pushes.push(push);
    const said: ApnsAnswer = refusal ? { status: 403, reason: refusal } : server.answer(push);
    if (typeof said === "string") return;
    const { status, ...rest } = said;
    stream.respond({ ":status": status, "apns-id": "4dd0bd3c-2f2a-4d1e-8f2f-1d3c5b7a9e10" });
    stream.end(status === 200 ? "" : JSON.stringify(rest));
  }

  async function tokenRefusal(authorization = ""): Promise<string | undefined> {
    const [, token = ""] = /^bearer (.+)$/.exec(authorization) ?? [];
    const options = {
      algorithms: ["ES256"],
      issuer: teamId,
      currentDate: new Date(server.now()),
    };
    const found = await jwtVerify(token, verifier, options).catch(() => undefined);
    if (found?.protectedHeader.kid !== keyId) return "InvalidProviderToken";
    const ageSeconds = server.now() / 1_000 - (found.payload.iat ?? 0);
    return ageSeconds > 3_600 ? "ExpiredProviderToken" : undefined;
  }

  return server;
}
