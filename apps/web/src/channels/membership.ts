import type { Channel } from "@carillon/client";
import type { Organization } from "../store/organization.ts";

type Named = Pick<Channel, "name">;

export function joinChannel({ client }: Organization, { name }: Named): Promise<unknown> {
  return client.addSubscriptions({ subscriptions: [{ name }] });
}

export function leaveChannel({ client }: Organization, { name }: Named): Promise<unknown> {
  return client.removeSubscriptions({ subscriptions: [name] });
}
