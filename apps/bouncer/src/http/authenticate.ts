import { timingSafeEqual } from "node:crypto";
import type { Sql } from "@carillon/db";
import { findServer, hashKey, type Server } from "../store/servers.ts";
import { refusals } from "./refusal.ts";
import type { UnprovenCredentials } from "./unproven-credentials.ts";
import { isUuid } from "../uuid.ts";

/** Compared with the key of an unknown server, so that the response time does not reveal whether the server exists. */
const unknownServerHash = hashKey("");

/**
 * Authenticates the server of a request by HTTP Basic: its id and its key.
 * @param address the client's address
 * @throws Refusal
 */
export async function authenticate(
  sql: Sql,
  unproven: UnprovenCredentials,
  address: string,
  header: string = "",
): Promise<Server> {
  const encoded = /^basic +([a-z0-9+/]+=*) *$/i.exec(header)?.[1];
  const [, id = "", key = ""] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("utf8")) ?? [];
  if (encoded === undefined || id === "") throw refusals.noCredentials();
  unproven.admit(address, header);
  const server = isUuid(id) ? await findServer(sql, id) : undefined;
  const same = timingSafeEqual(server?.keyHash ?? unknownServerHash, hashKey(key));
  if (!server || !same) {
    unproven.disprove(header);
    throw refusals.unknownServer();
  }
  unproven.prove(header);
  const { rateLimit, realms } = server;
  return { id: server.id, rateLimit, realms };
}

/**
 * Validates the UUID of an organization, and returns it in lower case.
 * @throws Refusal when it is malformed or not one of the server's
 */
export function realmOf(server: Server, given: string): string {
  if (!isUuid(given)) throw refusals.badRequest("realm_uuid is not a UUID");
  const realmUuid = given.toLowerCase();
  if (server.realms && !server.realms.includes(realmUuid)) throw refusals.unknownRealm();
  return realmUuid;
}
