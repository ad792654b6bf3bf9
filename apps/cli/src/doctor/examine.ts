import { connectDatabase } from "@carillon/db";
import { type Environment, proxyVariables, StartupError } from "@carillon/kit";

import type { Context } from "../context.ts";
import { environmentOf, withInstallation } from "../installation.ts";
import { examineAway } from "./away.ts";
import { examineClocks } from "./clocks.ts";
import { examineConfiguration } from "./configuration.ts";
import { examineDatabase, examineMigrations, examineSecretKey } from "./database.ts";
import { examineFiles } from "./files.ts";
import { type Finding, found } from "./finding.ts";
import { examineMail } from "./mail.ts";
import { examineMoves } from "./moves.ts";
import { examinePooler } from "./pooler.ts";
import { examineRedis } from "./redis.ts";
import { examineServers } from "./servers.ts";

/**
 * Runs all checks and prints their findings.
 * @throws StartupError when a check failed
 */
export async function examine(
  context: Context,
  { json, allFiles = false }: { readonly json?: boolean; readonly allFiles?: boolean },
): Promise<void> {
  const findings = await all(context, allFiles);
  const { terminal } = context;
  if (json) terminal.say(JSON.stringify(findings, null, 2));
  else
    for (const { what, state, text } of findings)
      terminal.say(`${state.padEnd(7)}  ${what}: ${text}`);
  const bad = findings.filter(({ state }) => state === "failed").length;
  if (bad > 0) throw new StartupError(`${bad} of ${findings.length} checks failed`);
}

async function all(context: Context, allFiles: boolean): Promise<Finding[]> {
  const configuration = await found("configuration", async () =>
    examineConfiguration(environmentOf(context), proxyVariables(context.variables)),
  );
  // Without valid variables nothing else can be checked.
  if (configuration.some(({ what, state }) => what === "configuration" && state === "failed"))
    return configuration;
  const rest = await found("database", () =>
    withInstallation(context, async ({ databaseUrl, secretKey, env }) => {
      const redis = env.REDIS_URL === undefined ? [] : await examineRedis(env.REDIS_URL);
      const servers = await found("servers", () => examineServers(databaseUrl));
      const database = [
        ...servers,
        ...(await found("database", () => examineDatabase(databaseUrl))),
      ];
      if (anyFailed(database)) return [...database, ...redis];
      const migrations = await found("migrations", () => examineMigrations(databaseUrl));
      if (anyFailed(migrations)) return [...database, ...migrations, ...redis];
      const pooler = await found("pooler", () => examinePooler(env));
      const rows = await onRows(databaseUrl, secretKey, env, allFiles);
      return [...database, ...pooler, ...migrations, ...redis, ...rows];
    }),
  );
  const mail = await found("mail", () => examineMail(environmentOf(context)));
  return [...configuration, ...mail, ...rest];
}

/** Checks that need this build's tables. */
async function onRows(
  databaseUrl: string,
  secretKey: string | undefined,
  env: Environment,
  allFiles: boolean,
): Promise<Finding[]> {
  const db = await connectDatabase(databaseUrl, { max: 1, name: "doctor" });
  try {
    return [
      ...(await found("SECRET_KEY", () => examineSecretKey(db, secretKey))),
      ...(await found("clocks", () => examineClocks(db))),
      ...(await found("away", () => examineAway(db))),
      ...(await found("moves", () => examineMoves(db))),
      ...(await found("files", () => examineFiles(db, env, allFiles))),
    ];
  } finally {
    await db.close();
  }
}

function anyFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ state }) => state === "failed");
}
