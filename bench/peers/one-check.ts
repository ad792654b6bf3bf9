import type { AddressInfo } from "node:net";
import { operation, realmPermissions } from "@carillon/contract";
import { connectDatabase, type Database } from "@carillon/db";
import { authenticate, keyHolders } from "@carillon/domain";
import { type Account, loadMemberships, loadRealm } from "@carillon/model";
import { buildApp, createGatewayServer, handlerFor } from "@carillon/gateway";
import { silentLogger } from "@carillon/kit";
import * as z from "zod";
import { benchSite } from "../lib/system.ts";

// A gateway with two operations. Only one of them makes a permission check, with the evaluator that every operation
// uses.
const db = await connectDatabase(process.env["DATABASE_URL"]!, { max: 10, name: "one-check" });
const handle = handlerFor<{ db: Database }, Account>();

const declare = (id: string) =>
  operation({
    id,
    method: "GET",
    path: `/api/v1/bench/${id}`,
    access: "account",
    summary: "The operation that the bench measures",
    result: { holds: z.boolean() },
  });

const without = handle(declare("without"), async ({ actor, services }) =>
  services.db.transaction(async (tx) => {
    await loadRealm(tx, actor.realmId);
    return { holds: true };
  }),
);

// Runs the query of the check after the other query, not concurrently: the most expensive case of a check.
const within = handle(declare("with"), async ({ actor, services }) =>
  services.db.transaction(async (tx) => {
    const realm = await loadRealm(tx, actor.realmId);
    const memberships = await loadMemberships(tx, [actor.id]);
    const { canCreateGroups } = realmPermissions;
    return { holds: memberships.holds(actor, canCreateGroups, realm.groups.canCreateGroups) };
  }),
);

const holderOf = async (digest: Uint8Array) => (await keyHolders(db, [digest]))[0];
const handlers = [without, within];
const server = createGatewayServer(
  buildApp<{ db: Database }, Account>({
    operations: handlers.map((handler) => handler.operation),
    handlers,
    services: { db },
    authenticate: (credentials) => authenticate(holderOf, benchSite, credentials),
    log: silentLogger,
  }),
);
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
