import { connectDatabase } from "@carillon/db";
import { databaseAddresses, readEnvironment, runMain } from "@carillon/kit";

import { restoreCommand } from "./restore/restore-command.ts";

// node apps/worker/dist/restore-main.js list | run NUMBER | channel NUMBER (docs/operating.md, Removed messages)
await runMain(async () => {
  const env = readEnvironment();
  const { databaseUrl, directUrl } = databaseAddresses(
    env,
    "the PostgreSQL whose messages to restore",
  );
  const db = await connectDatabase(databaseUrl, { max: 2, name: "restore", directUrl });
  try {
    for (const line of await restoreCommand(db, process.argv.slice(2))) console.log(line);
  } finally {
    await db.close();
  }
});
