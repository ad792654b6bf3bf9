import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prismaEnvironment } from "./install.mjs";
import { root } from "./root.mjs";
import { must } from "./run.mjs";

const generated = join(root, "packages/db/src/generated");
const stampFile = join(generated, ".stamp");

/** Generates the Prisma client when prisma/schema.prisma or Prisma has changed. */
export async function generateClient() {
  const inputs = ["prisma/schema.prisma", "prisma.config.ts", "node_modules/prisma/package.json"];
  if (!existsSync(join(root, inputs[0]))) return;
  const hash = createHash("sha256");
  for (const file of inputs) hash.update(readFileSync(join(root, file)));
  const wanted = hash.digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return;
  rmSync(stampFile, { force: true });
  await must(
    "prisma generate",
    process.execPath,
    [join(root, "node_modules/prisma/build/index.js"), "generate"],
    prismaEnvironment,
  );
  writeFileSync(stampFile, wanted);
}
