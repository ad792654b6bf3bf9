import { defineConfig } from "prisma/config";

// For the stock Prisma command line; Carillon itself reads neither this file nor that variable through it.
const url = process.env["DATABASE_URL"];

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(url ? { datasource: { url } } : {}),
});
