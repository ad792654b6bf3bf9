import { startChild, type Child } from "./child.ts";
import type { BenchDatabase } from "./servers.ts";
import { secretKey } from "./system.ts";

/** Starts `bench/peers/NAME.ts`, a server that prints its port, in a separate process on the same database. */
export async function startBarePeer(
  name: string,
  { url }: BenchDatabase,
): Promise<{ child: Child; port: number }> {
  const child = startChild(`peer-${name}`, `bench/peers/${name}.ts`, {
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    NODE_ENV: "production",
  });
  await child.written("peer started on");
  return { child, port: Number(/peer started on (\d+)/.exec(child.output())?.[1]) };
}
