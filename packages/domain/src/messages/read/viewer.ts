import type { Account } from "../../users/account.ts";

/** Whose view of the messages it is. */
export type Viewer = Pick<Account, "id" | "realmId" | "role">;
