import type { DeadCursor, DeadFilter } from "./list.ts";
import type { ReplayRequest } from "./replay.ts";

/** PostgreSQL's `integer`. */
const maxInt = 2_147_483_647;

/** A parameter that cannot be understood; the message says what would be right. */
export class BadParameter extends Error {}

/** @throws BadParameter */
export function readFilter(fields: URLSearchParams): DeadFilter {
  const job = fields.get("job") || undefined;
  const realm = fields.get("realm") || undefined;
  return {
    ...(job === undefined ? {} : { job: checkJob(job) }),
    ...(realm === undefined ? {} : { realmId: whole("realm", realm, maxInt) }),
  };
}

/** @throws BadParameter */
export function readCursor(fields: URLSearchParams): DeadCursor | undefined {
  const after = fields.get("after");
  if (after === null) return undefined;
  const [diedAt = "", id = ""] = after.split("-");
  return [whole("after", diedAt), whole("after", id)];
}

/**
 * `id`, once or more, with the `version` that it was shown with, or `all=true` with the filter.
 * @throws BadParameter
 */
export function readReplay(fields: URLSearchParams): ReplayRequest {
  const ids = fields.getAll("id");
  const all = fields.get("all");
  if (all !== null && all !== "true") throw new BadParameter("all must be true where it is given");
  if ((ids.length === 0) === (all === null)) {
    throw new BadParameter(
      "give either id, once or more, or all=true, with job and realm to choose from all",
    );
  }
  const version = fields.get("version");
  if (all === null) {
    return {
      ids: ids.map((id) => whole("id", id)),
      version: version === null ? undefined : whole("version", version, maxInt),
    };
  }
  return { matching: readFilter(fields) };
}

function checkJob(job: string): string {
  if (!/^[\w-]{1,60}$/.test(job)) throw new BadParameter("job must be the name of a job");
  return job;
}

function whole(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value > max)
    throw new BadParameter(`${name} must be a whole number`);
  return value;
}
