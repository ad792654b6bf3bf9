import {
  addSubscriptions,
  allOperations,
  createChannel,
  deactivateBot,
  deactivateUser,
  removeSubscriptions,
  sendMessage,
  type Operation,
  updateMessage,
  updateMessageFlags,
} from "@carillon/contract";
import { deleteRecorded, deliver, user } from "@carillon/testkit";

import { channelFolderSteps } from "./channel-folders.ts";
import { channelSteps } from "./channels.ts";
import { derivedStep } from "./derived.ts";
import { bouncerDecides, deviceSteps } from "./devices.ts";
import { groupSteps } from "./groups.ts";
import { linkifierSteps } from "./linkifiers.ts";
import { messageSteps } from "./messages.ts";
import { organizationSteps } from "./organization.ts";
import { ownListSteps } from "./own-lists.ts";
import { ownSteps } from "./own.ts";
import { peopleSteps } from "./people.ts";
import { profileFieldSteps } from "./profile-fields.ts";
import { seriesHappenings, seriesSteps } from "./series.ts";
import {
  decide,
  pick,
  logStep,
  type Course,
  type Maker,
  type Step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

/** Steps with their own ways of drawing requests. */
const writtenSteps: readonly WalkStep[] = [
  ...channelFolderSteps,
  ...channelSteps,
  ...deviceSteps,
  ...groupSteps,
  ...linkifierSteps,
  ...messageSteps,
  ...organizationSteps,
  ...ownListSteps,
  ...ownSteps,
  ...peopleSteps,
  ...profileFieldSteps,
  ...seriesSteps,
];

/** Operations other than GET that are no steps because they send no events, with the reason. */
const quiet: Readonly<Record<string, string>> = {
  "confirm-new-email": "wants a token that only a mail has; what it tells, update-user tells too",
  "dev-fetch-api-key": "reads a key",
  "fetch-api-key": "reads a key",
  "regenerate-api-key": "concerns the account's own log-in only",
  "regenerate-bot-api-key": "concerns the bot's own log-in only",
  "update-bot-storage": "concerns the bot alone, which asks for what it has stored",
  "delete-bot-storage": "concerns the bot alone, which asks for what it has stored",
  "add-apns-token": "is listed to nobody",
  "add-fcm-token": "is listed to nobody",
  "remove-apns-token": "is listed to nobody",
  "remove-fcm-token": "is listed to nobody",
  register: "is what the walk's clients begin with",
  "send-test-notification": "changes nothing that clients know, unless a token is dead",
  "delete-event-queue": "ends a queue, which tells its client nothing more",
  "render-message": "stores nothing",
  "report-message": "is refused: no organization has a channel for reports",
};

/** Steps that call operations: every operation of the envelope that changes something, except pages and quiet ones. */
export function stepsFor(operations: readonly Operation[]): WalkStep[] {
  const written = new Set(writtenSteps.map(({ operation }) => operation.id));
  const others = operations.filter(
    ({ method, id, protocol, page }) =>
      method !== "GET" && protocol === undefined && !page && !written.has(id) && !(id in quiet),
  );
  return [...writtenSteps, ...others.map(derivedStep)];
}

export const walkSteps: readonly WalkStep[] = stepsFor(allOperations);

/** Names in the list of quiet operations that do not exist, or that have a step. */
export function wronglyQuiet(operations: readonly Operation[] = allOperations): string[] {
  const walked = new Set(writtenSteps.map(({ operation }) => operation.id));
  const declared = new Set(operations.map(({ id }) => id));
  return Object.keys(quiet).filter((id) => !declared.has(id) || walked.has(id));
}

/** The deletions that have been run so far. */
let deletions: Promise<number> = Promise.resolve(0);

/** Steps without a request. */
const happenings: ReadonlyArray<{ weight: number; make: Maker["make"] }> = [
  {
    weight: 1,
    make(walk) {
      const pending = [...walk.scheduled, ...walk.reminders];
      if (pending.length === 0) return async () => undefined;
      const { id } = pick(walk, pending);
      return async () => {
        const logOutcome = logStep(walk, `scheduled message or reminder ${id} falls due`);
        // Failed messages keep their listed time: only their sender changes it.
        await walk.db.rows(
          `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - interval '1 second'
           WHERE id = $1 AND NOT delivered AND NOT failed`,
          [id],
        );
        await deliver(walk.db, walk.org.realm);
        logOutcome("delivered");
      };
    },
  },
  {
    weight: 2,
    make: (walk) => () => {
      const logOutcome = logStep(walk, "what deactivated accounts have sent is deleted");
      // The worker may be absent for a while; one job at a time is enough.
      const deleted = deletions.then(() => deleteRecorded(walk.db));
      deletions = deleted.catch(() => 0);
      return deleted.then((jobs) => logOutcome(`${jobs} jobs`));
    },
  },
  { weight: 2, make: bouncerDecides },
  ...seriesHappenings,
  {
    weight: 1,
    make(walk) {
      const role = pick(walk, [200, 400, 400, 600]);
      return async () => {
        const made = await user(walk.db, walk.org.realm, { role });
        walk.accounts.push(made);
        logStep(walk, `${made.fullName} (${made.id}) comes with role ${role}`)("done");
      };
    },
  },
];

function courseOf(
  steps: readonly WalkStep[],
  happening: ReadonlyArray<{ weight: number; make: Maker["make"] }> = happenings,
): Course {
  return {
    makers: [
      ...steps.flatMap((one) => {
        const make: Maker["make"] = (walk) => decide(walk, one);
        return Array.from({ length: one.weight }, () => ({ id: one.operation.id, make }));
      }),
      ...happening.flatMap(({ weight, make }) => Array.from({ length: weight }, () => ({ make }))),
    ],
    operations: steps.length,
  };
}

/** All steps. */
export const allSteps = courseOf(walkSteps);

const alsoThere = new Set([sendMessage, updateMessage, updateMessageFlags].map(({ id }) => id));
const apart = new Set([createChannel, deactivateUser, deactivateBot].map(({ id }) => id));

/**
 * Few channels and all changes of their visibility. No account is deactivated, so that most requests succeed. Accounts
 * change their roles, and groups their members.
 */
export const channelsAlone = courseOf([
  ...channelSteps.filter(({ operation }) => !apart.has(operation.id)),
  ...groupSteps.filter(({ operation }) => operation.id.includes("members")),
  ...messageSteps.filter(({ operation }) => alsoThere.has(operation.id)),
  ...peopleSteps.filter(({ operation }) => operation.id === "update-user"),
]);

const alsoOfSeries = new Set(
  [sendMessage, addSubscriptions, removeSubscriptions].map(({ id }) => id),
);

/**
 * Series of accounts that keep their roles. Their occurrences are withheld after replies, and fail after authors have
 * left channels. Every client names the opt-in types.
 */
export const seriesAlone: Course = {
  ...courseOf(
    [...seriesSteps, ...writtenSteps.filter(({ operation }) => alsoOfSeries.has(operation.id))],
    seriesHappenings,
  ),
  optsIn: true,
};

/** Draws a step. Draws again once if the kind was done before, so that more kinds occur. */
export function nextStep(walk: Walk): Step {
  const { makers } = walk.course;
  const drawn = pick(walk, makers);
  const wasDone = drawn.id !== undefined && walk.done.has(drawn.id);
  return (wasDone ? pick(walk, makers) : drawn).make(walk);
}
