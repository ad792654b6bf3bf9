import type { Attack } from "./attack.ts";
import { channels } from "./channels.ts";
import { renders } from "./renders.ts";
import { unfinishedBodies } from "./unfinished-bodies.ts";
import { unreadAnswers } from "./unread-answers.ts";

/** Every attack that a gateway must survive; the suite `under-attack` and the bench of that name run them. */
export const attacks: readonly Attack[] = [
  ...unreadAnswers,
  ...unfinishedBodies,
  ...channels,
  ...renders,
];
