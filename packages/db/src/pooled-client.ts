import { PoolClient } from "./pool-client.ts";

/**
 * A connection of the pool to a pooler in transaction mode (PgBouncer). Each transaction may run in a different
 * session, which lacks the statements that an earlier one has prepared. So this client sends statements without their
 * names, and PostgreSQL prepares them each time.
 */
export class PooledClient extends PoolClient {
  // `pg` declares many overloads. All begin with the statement.
  override query(...given: never[]): never {
    const [config, ...rest] = given as unknown[];
    const unnamed = isNamed(config) ? { ...config, name: undefined } : config;
    const query = super.query.bind(this) as (...all: unknown[]) => never;
    return query(unnamed, ...rest);
  }
}

function isNamed(config: unknown): config is { name: string } {
  return typeof config === "object" && config !== null && "name" in config && "text" in config;
}
