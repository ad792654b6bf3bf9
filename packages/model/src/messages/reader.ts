import type { Account } from "../users/account.ts";

/** Who reads messages. */
export type Reader = Pick<Account, "id" | "realmId" | "role" | "isActive">;
