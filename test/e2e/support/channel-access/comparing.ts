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

/** Every account of the world in each of the channels. */
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
 * One in five, for operations that ask the same function as one that all are tried on: of every account and of every
 * channel some, and others for another `offset`.
 */
export function oneInFive(all: readonly Meeting[], offset: number): readonly Meeting[] {
  return all.filter((_, index) => index % 5 === offset % 5);
}

/** Which meetings go otherwise than the rules say, a line each. */
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

/** There is nothing that goes otherwise than the rules say. */
export function agree(differences: readonly string[], what?: string): void {
  expect(differences.join("\n"), what).to.equal("");
}

/** What a request names a channel by. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

export const nowhere: Named = { id: 2_000_000_000, name: "there is no such channel" };

/** The answer, with nothing that is the channel's own. */
export function plain({ status, text }: Answer, { id, name }: Named): string {
  return `${status} ${text.replaceAll(name, "NAME").replaceAll(String(id), "ID")}`;
}

/**
 * Which meetings are answered otherwise: 200 where the rule says yes, and where it says no exactly what is answered
 * about a channel that does not exist.
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
