import { applyMigrations } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";
import { waitFor } from "@carillon/testkit";
import { type InstalledServer, useInstalledPostgres } from "./installed-postgres.ts";

/** A primary and its standby. */
export interface ReplicatedPostgres {
  readonly primary: InstalledServer;
  readonly standby: InstalledServer;
  /** The URL of a database on both. */
  url(database: string): string;
  close(): Promise<void>;
}

/** Servers do not flush to the disk, because no test loses a whole machine. */
const settings = { fsync: "off", autovacuum: "off", max_connections: 200 };

export interface ReplicationOptions {
  /** Whether a commit waits for the standby; true unless given. */
  readonly synchronous?: boolean;
  /** Returns the port at which the standby reaches the primary; the primary's own unless given. */
  readonly connect?: (primary: InstalledServer) => Promise<number>;
}

/**
 * Starts a primary and a standby.
 * @param programs the folder of PostgreSQL's programs
 */
export async function startReplicatedPostgres(
  programs: string,
  { synchronous = true, connect }: ReplicationOptions = {},
): Promise<ReplicatedPostgres> {
  const postgres = await useInstalledPostgres(programs, settings);
  try {
    const primary = await postgres.server("primary");
    await primary.start();
    const standby = await postgres.server("standby", (await connect?.(primary)) ?? primary.port);
    await standby.start();
    // Only in the primary's file, because a promoted standby has no standby to wait for.
    if (synchronous) await primary.configure({ synchronous_standby_names: "*" });
    const wanted = synchronous ? "sync" : "async";
    await waitFor(
      () =>
        primary
          .query(
            `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${wanted}'`,
          )
          .then((rows) => rows.length > 0),
      { what: "the standby follows" },
    );
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    return {
      primary,
      standby,
      url: (database) =>
        `postgresql://postgres@${hosts}/${database}?target_session_attrs=read-write`,
      close: () => postgres.close(),
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

/** Creates and migrates a database, and returns the URL that names both servers. */
export async function prepareDatabase(servers: ReplicatedPostgres): Promise<string> {
  await servers.primary.query("CREATE DATABASE carillon");
  const databaseUrl = servers.url("carillon");
  await applyMigrations(databaseUrl);
  await prepareQueues({ databaseUrl, log: silentLogger });
  return databaseUrl;
}
