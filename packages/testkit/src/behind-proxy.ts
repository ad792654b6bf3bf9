import { connectDatabase, type Database } from "@carillon/db";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";
import { startGateway, type Gateway, type GatewayOptions } from "./gateway.ts";

/** A gateway whose connection to the database a test can break. */
export interface ProxiedGateway {
  readonly gateway: Gateway;
  readonly db: Database;
  readonly proxy: FaultProxy;
  close(): Promise<void>;
}

/**
 * Starts a gateway that reaches its database through a proxy.
 * @param pool limits of its connection pool
 */
export async function startBehindProxy(
  database: { readonly url: string },
  pool: { readonly max: number; readonly connectMs?: number },
  options: (db: Database) => GatewayOptions = () => ({}),
): Promise<ProxiedGateway> {
  const proxy = await startFaultProxy(database.url);
  const db = await connectDatabase(proxy.url, { ...pool, name: "proxied" });
  const gateway = await startGateway(db, options(db));
  return {
    gateway,
    db,
    proxy,
    async close() {
      await gateway.close();
      await db.close();
      await proxy.close();
    },
  };
}
