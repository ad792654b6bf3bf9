import { bouncerPaths, type PushRequest, pushRequestFor } from "@carillon/push";
import {
  type BouncersServer,
  type PhoneToken,
  sealedFor,
  type TestBouncer,
} from "@carillon/testkit";

/** An answer of the bouncer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

/** Any request to the bouncer. */
export async function request(url: string, path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(`${url}${path}`, init);
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, json };
}

/** The header that authenticates a server. */
export function basic({ id, key }: BouncersServer): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${key}`).toString("base64")}` };
}

/** `push/e2ee/register` with these fields. */
export function register(
  { url }: { readonly url: string },
  server: BouncersServer,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  const body = new URLSearchParams(fields);
  return request(url, bouncerPaths.register, { method: "POST", headers: basic(server), body });
}

/** `push/e2ee/notify` with this body. */
export function notify(
  { url }: { readonly url: string },
  server: BouncersServer,
  body: unknown,
  key?: string,
): Promise<Answer> {
  const headers = {
    ...basic(server),
    "content-type": "application/json",
    ...(key !== undefined && { "idempotency-key": key }),
  };
  return request(url, bouncerPaths.notify, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** An entry of `push_requests` for a device with this token. */
export function pushTo(
  { kind, tokenId }: PhoneToken,
  pushKeyId = 7,
  data = "c2VjcmV0",
): PushRequest {
  return pushRequestFor(
    { tokenId: Buffer.from(tokenId, "base64"), tokenKind: kind, pushKeyId },
    "message",
    data,
  );
}

/** Registers a device, as a chat server does after its phone has sealed the token. */
export async function registerPhone(
  bouncer: TestBouncer,
  server: BouncersServer,
  realmUuid: string,
  phone: PhoneToken,
): Promise<PhoneToken> {
  const { status, json } = await register(bouncer, server, {
    realm_uuid: realmUuid,
    token_id: phone.tokenId,
    encrypted_push_registration: await sealedFor(bouncer.publicKey, phone.content),
    bouncer_public_key: bouncer.publicKey,
  });
  if (status !== 200) throw new Error(`not registered: ${JSON.stringify(json)}`);
  return phone;
}
