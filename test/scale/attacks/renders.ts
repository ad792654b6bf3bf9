import type { Attack } from "./attack.ts";
import { flood } from "./connections.ts";

const emoji = new URLSearchParams({ content: "😀".repeat(10_000) }).toString();

/** Texts that take the longest to render for their length. */
export const renders: readonly Attack[] = [
  {
    name: "renders of 10,000 emoji by one account, ten at a time",
    run: ({ url, attacker }, signal) =>
      flood(
        url,
        {
          open: 10,
          read: true,
          request: () => ({
            method: "POST",
            path: "/messages/render",
            account: attacker,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: emoji,
          }),
        },
        signal,
      ),
  },
];
