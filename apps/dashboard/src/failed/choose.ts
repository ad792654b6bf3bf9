import { composed, type Composition, type Sql } from "@carillon/db";
import type { FailedMessage } from "@carillon/domain";
import { BadParameter, givenTime, maxInt, whole } from "../http/parameters.ts";
import { conditionOf, exampleFilters, type FailedFilter } from "./filter.ts";

/** Maximum messages resent by one request. */
export const maxAtOnce = 10_000;

/**
 * Reads the selected scheduled messages and reminders: `chosen`, repeatable, as `ID-VERSION`.
 * @throws BadParameter
 */
export function readChosen(fields: URLSearchParams): FailedMessage[] {
  return fields.getAll("chosen").map((text) => {
    const [id = "", version = ""] = text.split("-");
    return { id: whole("chosen", id), version: whole("chosen", version, maxInt) };
  });
}

/** Reads the new time: `when` is `now` or `at`, with the time in `at`. UNIX seconds; undefined for now. */
export function readNewTime(fields: URLSearchParams): number | undefined {
  const when = fields.get("when");
  if (when === "now") return undefined;
  if (when !== "at") throw new BadParameter("when must be now or at");
  const at = givenTime(fields, "at");
  if (at === undefined) throw new BadParameter("give the new time: at, like 2026-11-22 14:00, UTC");
  return at;
}

function compose(filter: FailedFilter, before: number): Composition {
  const { text, values } = conditionOf(filter);
  return {
    text: `SELECT s.id, s.version
      FROM (SELECT f.scheduled_message_id AS id, f.version FROM delivery_failures f
        WHERE ${text} AND f.failed_at <= timestamptz 'epoch' + $${values.length + 1}::bigint * interval '1 microsecond'
        GROUP BY 1, 2) f JOIN scheduled_messages s ON s.id = f.id AND s.version = f.version
      WHERE s.failed AND NOT s.delivered ORDER BY s.id LIMIT ${maxAtOnce}`,
    values: [...values, before],
  };
}

const stillFailed = composed({
  name: "failed-to-send-again",
  compose,
  examples: (make) => exampleFilters.map((filter) => make(filter, 1)),
});

/** Finds messages by a filter that are still failed in the same version. */
export function chooseByFilter(
  sql: Sql,
  filter: FailedFilter,
  before: number,
): Promise<FailedMessage[]> {
  return stillFailed(sql, filter, before);
}
