import type { TransactionPrisma } from "./prisma-on-connection.ts";
import type { Tx } from "./tx.ts";

type Method = (...given: readonly unknown[]) => unknown;
/** Models and their methods, and raw statements, which are methods of the client itself. */
type Client = Readonly<Record<string, Method & Readonly<Record<string, Method>>>>;

/**
 * Creates a Prisma Client that runs each call in a transaction of its own, because the client of the process has a
 * connection only inside transactions.
 * @param transaction runs work in a transaction of one database
 */
export function prismaOutside(
  transaction: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>,
): TransactionPrisma {
  const run = (call: (prisma: Client) => unknown) =>
    transaction(async (tx) => call((await tx.prisma()) as unknown as Client));
  const client = new Proxy<Client>(
    {},
    {
      get: (_client, name: string) =>
        // Without this, `await` would take the client for a promise.
        name === "then"
          ? undefined
          : new Proxy((() => undefined) as unknown as Client[string], {
              get:
                (_model, method: string): Method =>
                (...given) =>
                  run((prisma) => prisma[name]?.[method]?.(...given)),
              apply: (_method, _this, given: unknown[]) =>
                run((prisma) => prisma[name]?.(...given)),
            }),
    },
  );
  return client as unknown as TransactionPrisma;
}
