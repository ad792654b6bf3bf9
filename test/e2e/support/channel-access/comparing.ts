import type { Answer, GatewayClient } from "@carillon/testkit";
import { expect } from "chai";
import { isDeepStrictEqual } from "node:util";

import type { Case } from "./rules.ts";
import { caseOf, type Place, type World } from "./world.ts";

/** One account in one channel. */
export interface Meeting {
  readonly name: string;
  readonly place: Place;
  readonly client: GatewayClient;
  readonly facts: Case;
}

/** Pairs every account of the world with each of the channels. */
export function meetings(world: World, places: readonly Place[]): Meeting[] {
  return Object.keys(world.accounts).flatMap((name) =>
    places.map((place) => ({
      name,
      place,
      client: world.as(name),
      facts: caseOf(name, place),
    })),
  );
}

/**
 * Returns every fifth meeting, for operations that share a function with a fully tested one. Covers some channels of
 * every account; another `offset` selects others.
 */
export function oneInFive(all: readonly Meeting[], offset: number): readonly Meeting[] {
  return all.filter((_, index) => index % 5 === offset % 5);
}

/** Compares each meeting with the rule, and returns a line for each difference. */
export async function differing<T>(
  all: readonly Meeting[],
  rule: (facts: Case) => T,
  found: (meeting: Meeting) => Promise<T>,
): Promise<string[]> {
  const lines: string[] = [];
  const queue = [...all];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [right, is] = [rule(next.facts), await found(next)];
      if (isDeepStrictEqual(right, is)) continue;
      lines.push(
        `${next.name} in ${next.place.title}: ${JSON.stringify(is)} instead of ${JSON.stringify(right)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return lines.toSorted();
}

/** Expects that there are no differences. */
export function agree(differences: readonly string[], what?: string): void {
  expect(differences.join("\n"), what).to.equal("");
}

/** The channel of a request. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

export const nowhere: Named = { id: 2_000_000_000, name: "there is no such channel" };

/** The response without the channel's own ID and name. */
export function plain({ status, text }: Answer, { id, name }: Named): string {
  return `${status} ${text.replaceAll(name, "NAME").replaceAll(String(id), "ID")}`;
}

/**
 * Compares responses with the rule: 200 if it allows the request, and otherwise exactly the response for an unknown
 * channel. Returns a line for each difference.
 */
export async function answeredOtherwise(
  all: readonly Meeting[],
  rule: (facts: Case) => boolean,
  ask: (meeting: Meeting, channel: Named) => Promise<Answer>,
): Promise<string[]> {
  const [anybody] = all;
  if (!anybody) throw new Error("there is nobody to ask");
  const unknown = plain(await ask(anybody, nowhere), nowhere);
  expect(unknown).to.match(/^400 .*"code":"BAD_REQUEST"/);
  return differing(
    all,
    (facts) => (rule(facts) ? "200" : unknown),
    async (meeting) => {
      const { channel } = meeting.place;
      const answer = await ask(meeting, channel);
      return answer.status === 200 ? "200" : plain(answer, channel);
    },
  );
}
