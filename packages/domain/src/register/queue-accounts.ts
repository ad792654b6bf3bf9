import { roles } from "@carillon/contract";
import type { QueueAccounts } from "@carillon/events";

/** What polls ask of accounts: what follows from their role, whether they are active, and their API key. */
export const queueAccounts: QueueAccounts = {
  table: "users",
  sight: "u.role",
  // Also of who has become a guest since the registration.
  mayListenToAll: `u.role <> ${roles.guest}`,
  keyDigest: "u.api_key_digest",
  isActive: "u.is_active",
};
