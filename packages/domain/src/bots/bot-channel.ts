import { type Account, findChannel, noSuchChannel } from "@carillon/model";
import type { Tx } from "@carillon/db";

/**
 * The channel that a bot is made for, as a person names it; undefined for none.
 * @throws ApiError `BAD_REQUEST` where the person does not see such a channel
 */
export async function botChannel(tx: Tx, person: Account, name: string | undefined) {
  if (name === undefined || name === "") return undefined;
  const channel = await findChannel(tx, person, name, { access: "content", archived: false });
  if (!channel) throw noSuchChannel(name);
  return channel;
}
