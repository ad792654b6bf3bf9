import { checkChannelName, checkDescription, normaliseColor } from "@carillon/model";
import { errors } from "@carillon/contract";

/** A channel that somebody asks to be subscribed to, by name. */
export interface WantedChannel {
  readonly name: string;
  readonly color?: string | undefined;
  /** Where the channel has yet to be created. */
  readonly description?: string | undefined;
}

/** The same, as it is looked up and stored. */
export interface CheckedChannel {
  readonly name: string;
  /** `#rrggbb` in lower case. */
  readonly color: string | undefined;
  readonly description: string;
}

/** @throws ApiError `BAD_REQUEST` where no channel could have that name, description or colour */
export function checkWanted({ name, color, description = "" }: WantedChannel): CheckedChannel {
  const normal = color === undefined ? undefined : normaliseColor(color);
  if (color !== undefined && normal === undefined)
    throw errors.badRequest("subscriptions: color must be # and six hex digits");
  return {
    name: checkChannelName(name),
    color: normal,
    description: checkDescription(description),
  };
}
