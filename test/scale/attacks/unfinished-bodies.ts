import type { TestAccount } from "@carillon/testkit";
import type { Attack } from "./attack.ts";
import { flood, type RawAttack } from "./connections.ts";

const mebibyte = 2 ** 20;

/** Makes a form request that announces `announced` bytes, and stops after `sent`. */
function unfinished(account: TestAccount, announced: number, sent: number): RawAttack {
  return {
    method: "POST",
    path: "/messages/flags",
    account,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(announced),
    },
    body: `flag=${"x".repeat(sent)}`,
  };
}

/** Attacks with bodies that never end, so that the gateway keeps what it has received. */
export const unfinishedBodies: readonly Attack[] = [
  {
    name: "40 bodies of 25 MB that stop before the end",
    run: ({ url, attacker }, signal) =>
      flood(
        url,
        { open: 40, request: () => unfinished(attacker, 25 * mebibyte, 24 * mebibyte) },
        signal,
      ),
  },
  {
    name: "200 bodies of 2 MB of four accounts that stop before the end",
    run: ({ url, attacker, members }, signal) => {
      const accounts = [attacker, ...members];
      return flood(
        url,
        {
          open: 200,
          request: (n) =>
            unfinished(accounts[n % accounts.length] ?? attacker, 2 * mebibyte, 1.9 * mebibyte),
        },
        signal,
      );
    },
  },
];
