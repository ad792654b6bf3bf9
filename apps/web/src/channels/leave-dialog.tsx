import type { Channel } from "@carillon/client";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { leaveChannel } from "./membership.ts";

const t = texts.channels;

export interface LeaveDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

/** Asks before the account leaves a channel. */
export function LeaveDialog({ channel, onClose }: LeaveDialogProps) {
  const organization = useOrganization();
  return (
    <ConfirmDialog
      title={t.leaveTitle(channel.name)}
      submit={t.leave}
      onConfirm={() => leaveChannel(organization, channel)}
      onClose={onClose}
    >
      {channel.invite_only ? t.leavePrivateHint : t.leaveHint}
    </ConfirmDialog>
  );
}
