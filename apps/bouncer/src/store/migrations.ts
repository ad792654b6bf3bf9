export { bouncerMigrations } from "@carillon/db";
