/** The migrations of the push bouncer's database, for its processes and its backups. */
export const bouncerMigrations = {
  database: "bouncer",
  folder: new URL("../migrations/", import.meta.url),
  variable: "BOUNCER_DATABASE_URL",
  command: "npm run bouncer -- migrate",
} as const;
