import type { SlowText } from "@carillon/testkit";

/** The slowest texts that longer searches found; each is slow for another reason. */
export const finds: readonly SlowText[] = [
  {
    beginning: "❤️️=$$:party_parrot:",
    repeated: "> _x@y.z\n```quote\n://>```\na\n",
    between: "<3\n1. ",
    after: "\n~~~\n\n",
    share: 0.11,
  },
  {
    beginning: "$$:party_parrot:",
    repeated: "> _\n```quote\n\n~~~spoiler <b>\n",
    between: "::\n~~~spoiler <b>\n",
    after: ">\n>>\n>> # a\na\n",
    share: 0.05,
  },
  {
    beginning: "@**|1**",
    repeated: "```spoiler a\n",
    between: "",
    after: "> >>",
    share: 0.062,
  },
];
