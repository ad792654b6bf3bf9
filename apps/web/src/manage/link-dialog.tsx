import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { InvitationFields, invitationOf } from "./invitation-fields.tsx";
import { Secret } from "./secret.tsx";

const t = texts.organization;

/** Makes a link by which several people can join, and shows it. */
export function LinkDialog({ onClose }: { readonly onClose: () => void }) {
  const { client } = useOrganization();
  const link = useSignal<string | undefined>(undefined);
  if (link.value !== undefined)
    return (
      <Dialog title={t.linkMade} onClose={onClose}>
        <Secret label={t.link} value={link.value} />
      </Dialog>
    );
  return (
    <FormDialog
      title={t.makeLink}
      submit={t.makeLink}
      onClose={() => {
        if (link.peek() === undefined) onClose();
      }}
      onSubmit={async (form) => {
        link.value = (await client.createInviteLink(invitationOf(form))).invite_link;
      }}
    >
      <InvitationFields />
    </FormDialog>
  );
}
