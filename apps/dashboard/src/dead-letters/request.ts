import { BadParameter, givenId, maxInt, whole } from "../http/parameters.ts";
import type { DeadFilter } from "./list.ts";
import type { ReplayRequest } from "./replay.ts";

/** @throws BadParameter */
export function readFilter(fields: URLSearchParams): DeadFilter {
  const job = fields.get("job") || undefined;
  const realmId = givenId(fields, "realm");
  return {
    ...(job === undefined ? {} : { job: checkJob(job) }),
    ...(realmId === undefined ? {} : { realmId }),
  };
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
