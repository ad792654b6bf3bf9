import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { joinChannel } from "./membership.ts";

/** The button that subscribes the account to the channel of the view. Hidden if the account is subscribed already. */
export function JoinButton({ channelId }: { readonly channelId: number }) {
  const organization = useOrganization();
  const { channels, notices } = organization;
  const channel = channels.byId.get(channelId);
  if (!channel || channel.is_archived || channels.subscriptions.get(channelId)) return null;
  return (
    <Button onClick={() => notices.attempt(joinChannel(organization, channel))}>
      {texts.channels.join}
    </Button>
  );
}
