import type { Invite } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { DayAndTime } from "../ui/time.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { actionsColumn } from "./actions-column.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { roleOf } from "./role-options.ts";
import { useAction } from "../ui/use-action.ts";
import { useLoaded } from "../ui/use-loaded.ts";

const t = texts.organization;

/** Invitations that nobody has used yet, and reusable links. */
export function InvitationsSection() {
  const { client, people } = useOrganization();
  const list = useLoaded(async () => (await client.getInvites()).invites, ["invites_changed"]);
  const dialog = useSignal<"mail" | "link" | undefined>(undefined);
  const revoked = useSignal<Invite | undefined>(undefined);
  const sentTo = useSignal<string | undefined>(undefined);
  const resend = useAction();
  const close = () => {
    dialog.value = undefined;
  };

  const itemsOf = (invite: Invite): MenuItem[] => [
    ...(invite.is_multiuse
      ? []
      : [
          {
            label: t.resend,
            onChoose: () => {
              void resend
                .run(() => client.resendEmailInvite({ invite_id: invite.id }))
                .then((isDone) => {
                  if (isDone) sentTo.value = invite.email;
                });
            },
          },
        ]),
    {
      label: t.revoke,
      danger: true,
      onChoose: () => {
        revoked.value = invite;
      },
    },
  ];

  return (
    <>
      <FilteredTable
        caption={t.invitations}
        empty={t.noInvitations}
        rows={list.value}
        problem={list.problem ?? resend.problem}
        keyOf={(invite) => `${invite.is_multiuse} ${invite.id}`}
        wordsOf={(invite) => [nameOf(invite), roleOf(invite.invited_as)]}
        columns={[
          { title: t.invited, cell: (invite) => <bdi>{nameOf(invite)}</bdi> },
          { title: texts.common.role, cell: (invite) => roleOf(invite.invited_as) },
          { title: t.by, cell: (invite) => <bdi>{people.nameOf(invite.invited_by_user_id)}</bdi> },
          {
            title: t.expires,
            cell: ({ expiry_date }) =>
              expiry_date === null ? t.never : <DayAndTime seconds={expiry_date} />,
          },
          actionsColumn(nameOf, itemsOf),
        ]}
      >
        <Button
          kind="primary"
          onClick={() => {
            dialog.value = "mail";
          }}
        >
          {t.invite}
        </Button>
        <Button
          onClick={() => {
            dialog.value = "link";
          }}
        >
          {t.makeLink}
        </Button>
      </FilteredTable>
      {dialog.value === "mail" && <InviteDialog onClose={close} />}
      {dialog.value === "link" && <LinkDialog onClose={close} />}
      {sentTo.value !== undefined && (
        <Dialog
          title={t.resent}
          onClose={() => {
            sentTo.value = undefined;
          }}
        >
          <p>{t.resentTo(sentTo.value)}</p>
        </Dialog>
      )}
      {revoked.value && (
        <ConfirmDialog
          title={t.revokeTitle(nameOf(revoked.value))}
          submit={t.revoke}
          onClose={() => {
            revoked.value = undefined;
          }}
          onConfirm={async () => {
            const { value: invite } = revoked;
            if (invite?.is_multiuse) await client.revokeInviteLink({ invite_id: invite.id });
            else if (invite) await client.revokeEmailInvite({ invite_id: invite.id });
          }}
        >
          {t.revokeHint}
        </ConfirmDialog>
      )}
    </>
  );
}

function nameOf(invite: Invite): string {
  return invite.is_multiuse ? invite.link_url : invite.email;
}
