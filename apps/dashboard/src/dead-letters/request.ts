import { BadParameter, given, givenId, maxInt, whole } from "../http/parameters.ts";
import type { DeadFilter } from "./list.ts";

/** What is to be done: rows by id, or everything dead that a filter matches. */
export type Choice =
  | { readonly chosen: readonly Chosen[] }
  | {
      readonly matching: DeadFilter;
      /** Only what had died by then, in microseconds of the UNIX epoch: what died after a preview was not seen there. */
      readonly before?: number;
    };

/** A dead letter as it was seen. */
export interface Chosen {
  readonly id: number;
  /** Only as this version: what was replayed and died again since the list was shown is another one. */
  readonly version: number | null;
}

/** What can be done with dead letters. */
export const actions = ["replay", "discard"] as const;
export type Action = (typeof actions)[number];

/** @throws BadParameter */
export function readAction(fields: URLSearchParams): Action {
  const action = actions.find((name) => name === fields.get("what"));
  if (!action) throw new BadParameter(`what must be one of ${actions.join(", ")}`);
  return action;
}

const longestSearch = 200;

/** @throws BadParameter */
export function readFilter(fields: URLSearchParams): DeadFilter {
  const job = given(fields, "job");
  const realmId = givenId(fields, "realm");
  const error = given(fields, "error");
  if (error !== undefined && (error.length > longestSearch || error.includes("\0")))
    throw new BadParameter(`error must have at most ${longestSearch} characters`);
  return {
    ...(job === undefined ? {} : { job: checkJob(job) }),
    ...(realmId === undefined ? {} : { realmId }),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * `chosen`, once or more, `ID-VERSION`; or `id`, once or more, with the `version` that it was shown with; or `all=true`
 * with the filter, and with the `before` of a preview.
 * @throws BadParameter
 */
export function readChoice(fields: URLSearchParams): Choice {
  const chosen = [...fields.getAll("chosen").map(readChosen), ...readIds(fields)];
  // A list of which all are meant may have some that are ticked, too.
  const all = fields.get("all") ?? null;
  if (all !== null && all !== "true") throw new BadParameter("all must be true where it is given");
  if (fields.has("id") && all !== null) throw new BadParameter("give either id or all, not both");
  if (all === null) {
    if (chosen.length === 0)
      throw new BadParameter(
        "choose at least one: give chosen or id, once or more, or all=true, with job, realm and error to choose from all",
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
