import { timingSafeEqual } from "node:crypto";
import type { Sql } from "@carillon/db";
import { findServer, hashKey, type Server } from "../store/servers.ts";
import { refusals } from "./refusal.ts";
import type { UnprovenCredentials } from "./unproven-credentials.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Compared with where there is no such server, so that it takes as long. */
const nobody = hashKey("");

/**
 * The server that a request comes from, by HTTP Basic: its id, and its key.
 * @param address where the request comes from
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
  const server = uuid.test(id) ? await findServer(sql, id) : undefined;
  const same = timingSafeEqual(server?.keyHash ?? nobody, hashKey(key));
  if (!server || !same) {
    unproven.disprove(header);
    throw refusals.unknownServer();
  }
  unproven.prove(header);
  const { rateLimit, realms } = server;
  return { id: server.id, rateLimit, realms };
}

/**
 * The UUID of an organization, as the database has it.
 * @throws Refusal where it is none, or not one of the server's
 */
export function realmOf(server: Server, given: string): string {
  if (!uuid.test(given)) throw refusals.badRequest("realm_uuid is not a UUID");
  const realmUuid = given.toLowerCase();
  if (server.realms && !server.realms.includes(realmUuid)) throw refusals.unknownRealm();
  return realmUuid;
}
