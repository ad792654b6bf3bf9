import { useId } from "preact/hooks";
import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { InvitationFields, invitationOf } from "./invitation-fields.tsx";

const t = texts.organization;

/** Mails invitations to addresses. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { client } = useOrganization();
  const id = useId();
  return (
    <FormDialog
      title={t.invite}
      submit={t.sendInvitations}
      onClose={onClose}
      onSubmit={(form) =>
        client.sendInvites({ invitee_emails: textOf(form, "emails"), ...invitationOf(form) })
      }
    >
      <div class="field">
        <label for={id}>{t.emails}</label>
        <textarea id={id} name="emails" rows={4} required aria-describedby={`${id}-hint`} />
        <p class="hint" id={`${id}-hint`}>
          {t.emailsHint}
        </p>
      </div>
      <InvitationFields />
    </FormDialog>
  );
}
