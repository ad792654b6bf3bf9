import type { IncomingMessage } from "node:http";
import { idempotencyHeader, notifyBody, type NotifyAnswer } from "@carillon/push";
import type { RequestNotes } from "../http/envelope.ts";
import { realmOf } from "../http/authenticate.ts";
import { parseJson } from "../http/json.ts";
import { hasType, readBody } from "../http/read-body.ts";
import { refusals } from "../http/refusal.ts";
import type { Services } from "../services.ts";
import { findRegistrations } from "../store/registrations.ts";
import type { Server } from "../store/servers.ts";
import { entriesOf } from "./entries.ts";
import type { Batch } from "./hand-over.ts";
import { workOnCall, workOnce } from "./work.ts";

/** Maximum size of a body: our server sends 400 notifications of at most 4 KiB, 5.5 KiB in Base64, in a call. */
const maxBytes = 4 * 1024 * 1024;
const maxEntries = 500;
/** Maximum number of JSON parts in a body; a notification has 20. */
const maxParts = 50_000;
const maxKeyCharacters = 255;

/**
 * `POST push/e2ee/notify` (push.md §4): hands notifications to their providers. With an `Idempotency-Key` each is handed
 * over once, however often the call is repeated.
 * @throws Refusal
 */
export async function notify(
  services: Services,
  server: Server,
  request: IncomingMessage,
  notes: RequestNotes,
): Promise<NotifyAnswer> {
  const text = await readBody(request, maxBytes);
  if (!hasType(request, "application/json")) throw refusals.badRequest("The body must be JSON");
  const parsed = parseJson(text, maxParts);
  // Counted before validation: ten thousand invalid ones take 100 ms.
  if (countEntries(parsed) > maxEntries)
    throw refusals.badRequest(`A call must not have more than ${maxEntries} notifications`);
  const body = notifyBody.safeParse(parsed).data;
  if (!body) throw refusals.badRequest("The body is not JSON of realm_uuid and push_requests");
  const owner = { serverId: server.id, realmUuid: realmOf(server, body.realm_uuid) };
  const entries = entriesOf(body.push_requests);
  const idempotencyKey = keyOf(request);
  const ids = [...new Set(entries.map(({ tokenId }) => tokenId))];
  const registrations = await findRegistrations(
    services.store,
    services.sealer,
    owner,
    ids.map((id) => Buffer.from(id, "base64")),
  );
  const batch: Batch = entries.flatMap((entry) => {
    const found = registrations.get(entry.tokenId);
    // A registration with another provider counts as none.
    return found?.kind === entry.kind ? [[entry, found] as const] : [];
  });
  const fates =
    idempotencyKey === undefined
      ? await workOnce(services, owner, batch)
      : await workOnCall(services, owner, { serverId: server.id, idempotencyKey }, batch);

  const counts: Record<string, number> = {};
  const sent = { fcm: 0, apns: 0 };
  const dead = new Set<string>();
  for (const { name, tokenId, kind } of entries) {
    const fate = fates[name] ?? "dead";
    counts[fate] = (counts[fate] ?? 0) + 1;
    if (fate === "sent") sent[kind]++;
    if (fate === "dead") dead.add(tokenId);
  }
  notes.devices = counts;
  // Without a key, a repeat would resend what was sent.
  const repeatable =
    idempotencyKey !== undefined || sent.fcm + sent.apns + (counts["unsure"] ?? 0) === 0;
  if (counts["undelivered"] !== undefined && repeatable) throw refusals.providerAway();
  return {
    android_successfully_sent_count: sent.fcm,
    apple_successfully_sent_count: sent.apns,
    delete_token_ids: [...dead],
    realm_push_status: { can_push: true, expected_end_timestamp: null },
  };
}

function keyOf(request: IncomingMessage): string | undefined {
  const given = request.headers[idempotencyHeader];
  if (given === undefined) return undefined;
  if (typeof given !== "string" || given === "" || given.length > maxKeyCharacters)
    throw refusals.badRequest(`Idempotency-Key must have 1 to ${maxKeyCharacters} characters`);
  return given;
}

function countEntries(body: unknown): number {
  const entries =
    typeof body === "object" && body !== null && "push_requests" in body && body.push_requests;
  return Array.isArray(entries) ? entries.length : 0;
}
