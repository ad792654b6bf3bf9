import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useLoaded } from "../ui/use-loaded.ts";
import type { MessageDialogProps } from "./remove-dialog.tsx";

const t = texts.messages;

/** The people who have read a message and send read receipts. */
export function ReadersDialog({ message, onClose }: MessageDialogProps) {
  const { client, people } = useOrganization();
  const { value, problem } = useLoaded(
    () => client.getReadReceipts({ message_id: message.id }),
    [],
  );
  const names = value?.user_ids
    .map((id) => ({ id, name: people.nameOf(id) ?? t.unknownPerson }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Dialog title={t.readBy} onClose={onClose}>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {names && (
        <>
          <p role="status">{t.readers(names.length)}</p>
          <ul class="readers">
            {names.map(({ id, name }) => (
              <li key={id}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
