import { useSignal } from "@preact/signals";
import type { Emoji } from "@carillon/client";
import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useLoaded } from "../ui/use-loaded.ts";

const t = texts.organization;

/** The organization's own emoji. */
export function EmojiSection() {
  const { client, people, site } = useOrganization();
  const list = useLoaded(
    async () => Object.values((await client.listRealmEmoji()).emoji),
    ["realm_emoji"],
  );
  const isAdding = useSignal(false);
  const removed = useSignal<Emoji | undefined>(undefined);
  const rows = list.value
    ?.filter(({ deactivated }) => !deactivated)
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <>
      <FilteredTable
        caption={t.emoji}
        empty={t.noEmoji}
        rows={rows}
        problem={list.problem}
        keyOf={(emoji) => emoji.id}
        wordsOf={(emoji) => [emoji.name]}
        columns={[
          {
            title: t.picture,
            cell: (emoji) => (
              <img
                class="emoji-picture"
                src={new URL(emoji.source_url, site).href}
                alt=""
                loading="lazy"
              />
            ),
          },
          { title: t.name, cell: (emoji) => `:${emoji.name}:` },
          { title: t.by, cell: (emoji) => <bdi>{people.nameOf(emoji.author_id)}</bdi> },
          {
            title: t.actions,
            cell: (emoji) => (
              <Button
                kind="quiet"
                label={t.removeEmoji(emoji.name)}
                onClick={() => {
                  removed.value = emoji;
                }}
              >
                {t.remove}
              </Button>
            ),
          },
        ]}
      >
        <Button
          kind="primary"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {t.addEmoji}
        </Button>
      </FilteredTable>
      {isAdding.value && (
        <FormDialog
          title={t.addEmoji}
          submit={t.addEmoji}
          onClose={() => {
            isAdding.value = false;
          }}
          onSubmit={(form) =>
            client.addRealmEmoji({
              emoji_name: textOf(form, "name"),
              file: new FormData(form).get("file") as File,
            })
          }
        >
          <Field label={t.name} name="name" required maxLength={100} hint={t.emojiNameHint} />
          <label>
            {t.picture} <input type="file" name="file" accept="image/*" required />
          </label>
        </FormDialog>
      )}
      {removed.value && (
        <ConfirmDialog
          title={t.removeEmoji(removed.value.name)}
          submit={t.remove}
          onClose={() => {
            removed.value = undefined;
          }}
          onConfirm={async () => {
            const name = removed.peek()?.name;
            if (name !== undefined) await client.deactivateRealmEmoji({ emoji_name: name });
          }}
        >
          {t.removeEmojiHint}
        </ConfirmDialog>
      )}
    </>
  );
}
