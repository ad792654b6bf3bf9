import { BadParameter, given, givenText, givenTime } from "../http/parameters.ts";

/** Search criteria of messages; all given ones must hold. */
export interface Criteria {
  /** An e-mail address of their account. */
  readonly address?: string;
  /** The number or the name of their channel. */
  readonly channel?: string;
  /** UNIX seconds at which they were due, or sent, give or take {@link Criteria.withinMinutes}. */
  readonly at?: number;
  readonly withinMinutes: number;
}

const maxMinutes = 1_440;

/**
 * Reads the criteria; undefined if there are none.
 * @throws BadParameter
 */
export function readCriteria(fields: URLSearchParams): Criteria | undefined {
  const address = givenText(fields, "address", 254);
  const channel = givenText(fields, "channel", 60);
  const at = givenTime(fields, "at");
  if (address === undefined && channel === undefined && at === undefined) return undefined;
  const within = given(fields, "within") ?? "5";
  const withinMinutes = Number(within);
  if (!/^\d{1,4}$/.test(within) || withinMinutes < 1 || withinMinutes > maxMinutes)
    throw new BadParameter(`within must be from 1 to ${maxMinutes}, in minutes`);
  return {
    ...(address === undefined ? {} : { address }),
    ...(channel === undefined ? {} : { channel }),
    ...(at === undefined ? {} : { at }),
    withinMinutes,
  };
}
