import type { IncomingMessage } from "node:http";
import { fromBase64 } from "../base64.ts";
import { realmOf } from "../http/authenticate.ts";
import { hasType, readBody } from "../http/read-body.ts";
import { refusals } from "../http/refusal.ts";
import type { Services } from "../services.ts";
import { keyPairs } from "../store/key-pairs.ts";
import { putRegistration } from "../store/registrations.ts";
import type { Server } from "../store/servers.ts";
import { openRegistration } from "./registration.ts";

/** Maximum size of a body. A token has at most 4,096 characters, which encryption, Base64 and percent-encoding triple. */
const maxBytes = 64 * 1024;

/**
 * `POST push/e2ee/register` (push.md §4): decrypts a device's registration and stores it.
 * @throws Refusal
 */
export async function register(
  { store, sealer, providers, clock }: Services,
  server: Server,
  request: IncomingMessage,
): Promise<object> {
  const text = await readBody(request, maxBytes);
  const isForm = hasType(request, "application/x-www-form-urlencoded");
  const form = new URLSearchParams(isForm ? text : "");
  const field = (name: string) => {
    const value = form.getAll(name).at(-1);
    if (value === undefined) throw refusals.missing(name);
    return value;
  };
  const given = {
    realmUuid: field("realm_uuid"),
    tokenId: field("token_id"),
    sealed: field("encrypted_push_registration"),
    publicKey: field("bouncer_public_key"),
  };
  const realmUuid = realmOf(server, given.realmUuid);
  const tokenId = fromBase64(given.tokenId);
  if (tokenId?.length !== 8) throw refusals.badRequest("token_id is not Base64 of 8 bytes");
  const keys = (await keyPairs(store, sealer)).find(
    ({ publicKey }) => Buffer.from(publicKey).toString("base64") === given.publicKey,
  );
  if (!keys) throw refusals.unknownKey();
  const sealed = fromBase64(given.sealed);
  if (!sealed) throw refusals.badRequest("encrypted_push_registration is not Base64");
  const registration = await openRegistration(keys, sealed, tokenId, clock.now());
  if (!providers[registration.kind])
    throw refusals.badRequest(
      `This bouncer does not serve tokens of the kind ${registration.kind}`,
    );
  await putRegistration(store, sealer, { serverId: server.id, realmUuid }, tokenId, registration);
  return {};
}
