import type { Sql } from "@carillon/db";

import { BadParameter, given, givenText } from "../http/parameters.ts";
import { findAccountIds } from "../places/accounts.ts";
import { findChannelIds } from "../places/channels.ts";
import { findOrganizationId } from "../places/organization.ts";

export const seriesStates = ["active", "paused", "ended"] as const;

/** Filter of series, as requested; all given conditions must hold. */
export interface SeriesQuery {
  /** Name, subdomain or id of an organization. */
  readonly realm?: string;
  /** Name, e-mail address or id of an author. */
  readonly author?: string;
  /** Name or id of a channel. */
  readonly channel?: string;
  readonly state?: (typeof seriesStates)[number];
}

/** A {@link SeriesQuery} with ids instead of names; an empty list of ids matches nothing. */
export interface SeriesFilter extends Pick<SeriesQuery, "state"> {
  readonly realmId?: number;
  readonly authorIds?: readonly number[];
  readonly channelIds?: readonly number[];
}

/** Reads the filter of series from the parameters of a request. @throws BadParameter */
export function readSeriesQuery(fields: URLSearchParams): SeriesQuery {
  const realm = givenText(fields, "realm", 60);
  const author = givenText(fields, "author", 254);
  const channel = givenText(fields, "channel", 60);
  const asked = given(fields, "state");
  const state = seriesStates.find((one) => one === asked);
  if (asked !== undefined && state === undefined)
    throw new BadParameter(`state must be one of ${seriesStates.join(", ")}`);
  return {
    ...(realm === undefined ? {} : { realm }),
    ...(author === undefined ? {} : { author }),
    ...(channel === undefined ? {} : { channel }),
    ...(state === undefined ? {} : { state }),
  };
}

/** Resolves names to ids. @throws BadParameter when a name is too ambiguous */
export async function resolveSeriesQuery(sql: Sql, query: SeriesQuery): Promise<SeriesFilter> {
  const { realm, author, channel, ...rest } = query;
  const realmId = realm === undefined ? undefined : await findOrganizationId(sql, realm);
  const [authorIds, channelIds] = await Promise.all([
    author === undefined ? undefined : findAccountIds(sql, author, realmId),
    channel === undefined ? undefined : findChannelIds(sql, channel, realmId),
  ]);
  return {
    ...rest,
    ...(realmId === undefined ? {} : { realmId }),
    ...(authorIds === undefined ? {} : { authorIds }),
    ...(channelIds === undefined ? {} : { channelIds }),
  };
}
