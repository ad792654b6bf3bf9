import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { IdentityProvider } from "@carillon/model";

import { later } from "./later.ts";

/** What the provider does instead of what it should. */
export interface Lies {
  /** Claims of the ID token that replace the right ones; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Default: ES256, with the provider's key. */
  readonly signature?: "none" | "HS256" | "otherKey" | "broken";
  /** Replaces the answer of the token endpoint. */
  readonly answer?: (response: ServerResponse) => void;
}

/** How the provider behaves; tests change it. */
export interface Script {
  /** Fields of the discovery document that replace the right ones. */
  discovery: Readonly<Record<string, unknown>>;
  /** Claims that the user info endpoint has; there is none if undefined. */
  userInfo: Readonly<Record<string, unknown>> | undefined;
  /** Answers that replace those of a path, such as `/keys`. */
  answers: Readonly<Record<string, (response: ServerResponse) => void>>;
}

/** A person who has signed in at the provider, and what the provider then answers for the code. */
interface Grant {
  readonly asked: URLSearchParams;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly lies: Lies;
}

/**
 * An OpenID Connect provider that answers as a test says. It checks what an honest one checks: the client's secret, the
 * return address, the PKCE verifier, and that a code is used once.
 */
export interface ScriptedProvider {
  readonly issuer: string;
  /** For `Site.identityProvider`. */
  readonly config: IdentityProvider;
  /** Paths of the requests, oldest first. */
  readonly requests: string[];
  readonly script: Script;
  /**
   * Lets a person sign in.
   * @param asked the parameters with which the server has sent the browser here
   * @param claims of the person; `sub` at least
   * @returns the code with which the browser comes back
   */
  grant(asked: URLSearchParams, claims: Readonly<Record<string, unknown>>, lies?: Lies): string;
  /** Replaces the provider's key. */
  rotateKey(): void;
  close(): Promise<void>;
}

const clientId = "carillon";
const clientSecret = "the secret of the client: 100% & more";

/** Starts a provider on this machine. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Grant>();
  let granted = 0;
  let [key, keyId] = [newKey(), "1"];
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/team`;

  const provider: ScriptedProvider = {
    issuer,
    config: {
      issuer,
      clientId,
      clientSecret,
      displayName: "Team <ID>",
      displayIcon: null,
      scopes: "openid email profile",
      autoSignup: "rules",
      groupsClaim: undefined,
      roles: [],
      groups: [],
      subdomain: undefined,
    },
    requests: [],
    script: { discovery: {}, userInfo: undefined, answers: {} },
    grant(asked, claims, lies = {}) {
      // Used grants are removed, so that their number is not unique.
      const code = `code-${++granted}`;
      grants.set(code, { asked, claims, lies });
      return code;
    },
    rotateKey() {
      [key, keyId] = [newKey(), `${keyId}1`];
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").slice("/team".length);
    provider.requests.push(path);
    const { script } = provider;
    const replaced = script.answers[path];
    if (replaced) {
      replaced(response);
      return;
    }
    switch (path) {
      case "/.well-known/openid-configuration":
        send(response, 200, { ...discovery(), ...script.discovery });
        return;
      case "/keys":
        send(response, 200, {
          keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: keyId, use: "sig" }],
        });
        return;
      case "/token":
        exchange(request, await formOf(request), response);
        return;
      case "/userinfo": {
        const grant = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /i, ""));
        if (grant) send(response, 200, { sub: grant.claims["sub"], ...script.userInfo });
        else send(response, 401, {});
        return;
      }
      default:
        send(response, 404, {});
    }
  }

  function discovery() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize?tenant=1`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(provider.script.userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "HS256", "none"],
    };
  }

  function exchange(request: IncomingMessage, sent: URLSearchParams, response: ServerResponse) {
    const code = sent.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const basic = [clientId, clientSecret].map(encodeURIComponent).join(":").replaceAll("%20", "+");
    const isClient =
      request.headers.authorization === `Basic ${Buffer.from(basic).toString("base64")}`;
    if (!isClient) {
      send(response, 401, { error: "invalid_client" });
      return;
    }
    const challenge = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    const isGranted =
      grant?.asked.get("redirect_uri") === sent.get("redirect_uri") &&
      grant?.asked.get("code_challenge") === challenge &&
      grant.asked.get("code_challenge_method") === "S256";
    if (!grant || !isGranted) {
      send(response, 400, { error: "invalid_grant" });
      return;
    }
    if (grant.lies.answer) {
      grant.lies.answer(response);
      return;
    }
    const accessToken = `token-${tokens.size + 1}`;
    tokens.set(accessToken, grant);
    send(response, 200, {
      access_token: accessToken,
      token_type: "Bearer",
      id_token: idToken(grant),
    });
  }

  function idToken({ asked, claims, lies }: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: asked.get("nonce"),
      ...claims,
      ...lies.claims,
    };
    const alg = { none: "none", HS256: "HS256", otherKey: "ES256", broken: "ES256" };
    const header = { alg: lies.signature ? alg[lies.signature] : "ES256", kid: keyId };
    const text = `${encoded(header)}.${encoded(payload)}`;
    switch (lies.signature) {
      case "none":
        return `${text}.`;
      case "HS256":
        return `${text}.${createHmac("sha256", clientSecret).update(text).digest("base64url")}`;
      case "otherKey":
        return `${text}.${signed(text, newKey().privateKey)}`;
      case "broken":
        return `${encoded(header)}.${encoded({ ...payload, sub: "broken" })}.${signed(text, key.privateKey)}`;
      default:
        return `${text}.${signed(text, key.privateKey)}`;
    }
  }
  return provider;
}

function newKey() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function signed(text: string, key: KeyObject): string {
  return sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString(
    "base64url",
  );
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return new URLSearchParams(Buffer.concat(pieces).toString());
}

/** A provider for the tests of the enclosing `describe`. */
export function useScriptedProvider(): ScriptedProvider {
  const { value, set } = later<ScriptedProvider>("the identity provider");
  let provider: ScriptedProvider | undefined;
  before("start an identity provider", async () => {
    provider = await startScriptedProvider();
    set(provider);
  });
  after("stop the identity provider", async () => {
    set(undefined);
    await provider?.close();
  });
  return value;
}
