import { randomBytes } from "node:crypto";
import {
  administer,
  dropDatabase,
  freshRedis,
  postgresUrl,
  withDatabase,
  type QueueBackend,
} from "@carillon/testkit";
import { install, type Installation } from "./builds.ts";

/** Runs a scenario with two builds on a database of its own. */
export async function installed(
  backend: QueueBackend,
  play: (installation: Installation) => Promise<void>,
): Promise<void> {
  const name = `carillon_upgrade_${randomBytes(6).toString("hex")}`;
  await administer((server) => server.query(`CREATE DATABASE ${name}`));
  const redis = backend === "redis" ? await freshRedis() : undefined;
  const installation = await install(withDatabase(postgresUrl(), name), redis?.url);
  try {
    await play(installation);
  } finally {
    await installation.close();
    await redis?.drop();
    await dropDatabase(name);
  }
}
