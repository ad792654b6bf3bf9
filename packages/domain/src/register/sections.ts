import type { Section } from "./section.ts";
import { mutedUsers } from "./sections/muted-users.ts";
import { presence } from "./sections/presence.ts";
import { userStatus } from "./sections/user-status.ts";

/** Every section of the snapshot, one line each (events.md §1.2). */
export const sections: readonly Section[] = [presence, userStatus, mutedUsers];
