import type { Channel } from "@carillon/model";
import { bounds, errors } from "@carillon/contract";

/**
 * What one request may subscribe or unsubscribe, in rows and in lists of subscribers that are told (http-contract.md
 * §8.1): it holds up others in the organization for as long.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkSubscriptionBounds(
  channels: ReadonlyArray<Pick<Channel, "subscriberCount">>,
  accounts: number,
): void {
  if (channels.length * accounts > bounds.rows)
    throw errors.badRequest(
      `channels × users must not be more than ${bounds.rows} in one request; these are ${channels.length} × ${accounts}`,
    );
  const subscribers = channels.reduce((sum, { subscriberCount }) => sum + subscriberCount, 0);
  if (channels.length > 1 && subscribers > bounds.subscribers)
    throw errors.badRequest(
      `The channels of one request must not have more than ${bounds.subscribers} subscribers together; ` +
        `these have ${subscribers}: name fewer channels at once`,
    );
}
