import { timingSafeEqual } from "node:crypto";
import type { Sql } from "@carillon/db";
import { findServer, hashKey, type Server } from "../store/servers.ts";
import { refusals } from "./refusal.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Compared with where there is no such server, so that it takes as long. */
const nobody = hashKey("");

/**
 * The server that a request comes from, by HTTP Basic: its id, and its key.
 * @throws Refusal
 */
export async function authenticate(sql: Sql, header: string | undefined): Promise<Server> {
  const encoded = /^basic +([a-z0-9+/]+=*) *$/i.exec(header ?? "")?.[1];
  const [, id = "", key = ""] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("utf8")) ?? [];
  if (encoded === undefined || id === "") throw refusals.noCredentials();
  const server = uuid.test(id) ? await findServer(sql, id) : undefined;
  const same = timingSafeEqual(server?.keyHash ?? nobody, hashKey(key));
  if (!server || !same) throw refusals.unknownServer();
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
