import { BadParameter, given, givenId, maxInt, whole } from "../http/parameters.ts";
import type { DeadFilter } from "./list.ts";

/** Selection of rows: by id, or all dead letters that match a filter. */
export type Choice =
  | { readonly chosen: readonly Chosen[] }
  | {
      readonly matching: DeadFilter;
      /** Only dead letters up to this time, in microseconds of the UNIX epoch: later ones were not in the preview. */
      readonly before?: number;
    };

/** A selected dead letter. */
export interface Chosen {
  readonly id: number;
  /** Required version: a job that was replayed and failed again has another one. */
  readonly version: number | null;
}

/** Actions on dead letters. */
export const actions = ["replay", "discard"] as const;
export type Action = (typeof actions)[number];

/** Reads the action of a request. @throws BadParameter */
export function readAction(fields: URLSearchParams): Action {
  const action = actions.find((name) => name === fields.get("what"));
  if (!action) throw new BadParameter(`what must be one of ${actions.join(", ")}`);
  return action;
}

const maxSearchLength = 200;

/** Reads the filter of a request. @throws BadParameter */
export function readFilter(fields: URLSearchParams): DeadFilter {
  const job = given(fields, "job");
  const realmId = givenId(fields, "realm");
  const error = given(fields, "error");
  if (error !== undefined && (error.length > maxSearchLength || error.includes("\0")))
    throw new BadParameter(`error must have at most ${maxSearchLength} characters`);
  return {
    ...(job === undefined ? {} : { job: checkJob(job) }),
    ...(realmId === undefined ? {} : { realmId }),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Reads a selection in one of three forms: `chosen=ID-VERSION`, repeatable; `id`, repeatable, with the `version` that
 * was shown; or `all=true` with a filter and the `before` of a preview.
 * @throws BadParameter
 */
export function readChoice(fields: URLSearchParams): Choice {
  const chosen = [...fields.getAll("chosen").map(readChosen), ...readIds(fields)];
  // With `all`, ticked rows are ignored.
  const all = fields.get("all") ?? null;
  if (all !== null && all !== "true") throw new BadParameter("all must be true where it is given");
  if (fields.has("id") && all !== null) throw new BadParameter("give either id or all, not both");
  if (all === null) {
    if (chosen.length === 0)
      throw new BadParameter(
        "select at least one dead letter: give chosen or id (repeatable), or all=true with the filters job, realm and error",
      );
    return { chosen };
  }
  const before = fields.get("before");
  return {
    matching: readFilter(fields),
    ...(before === null ? {} : { before: whole("before", before) }),
  };
}

function readChosen(text: string): Chosen {
  const [id = "", version = ""] = text.split("-");
  return { id: whole("chosen", id), version: whole("chosen", version, maxInt) };
}

function readIds(fields: URLSearchParams): Chosen[] {
  const text = fields.get("version");
  const version = text === null ? null : whole("version", text, maxInt);
  return fields.getAll("id").map((id) => ({ id: whole("id", id), version }));
}

function checkJob(job: string): string {
  if (!/^[\w-]{1,60}$/.test(job)) throw new BadParameter("job must be the name of a job");
  return job;
}
