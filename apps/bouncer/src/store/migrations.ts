import type { MigrationSet } from "@carillon/db";

/** What the bouncer's database consists of. */
export const bouncerMigrations: MigrationSet = {
  folder: new URL("../../migrations/", import.meta.url),
  variable: "BOUNCER_DATABASE_URL",
  command: "npm run bouncer -- migrate",
};
