import { useSignal } from "@preact/signals";
import { navigate } from "../navigation.ts";
import { othersOf, routeOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { PresenceDot } from "./presence-dot.tsx";

const t = texts.people;
/** How many people are shown. */
const shown = 30;

/** Chooses the people of a direct conversation, and opens it. */
export function PeopleDialog({ onClose }: { readonly onClose: () => void }) {
  const { people, me } = useOrganization();
  const text = useSignal("");
  const chosen = useSignal<readonly number[]>([]);
  const word = text.value.trim().toLowerCase();
  const found = people.byId
    .all()
    .filter(({ is_active, full_name }) => is_active && full_name.toLowerCase().includes(word))
    .toSorted((one, other) => one.full_name.localeCompare(other.full_name))
    .slice(0, shown);

  function toggle(id: number): void {
    const rest = chosen.value.filter((other) => other !== id);
    chosen.value = rest.length < chosen.value.length ? rest : [...rest, id];
  }

  function open(ids: readonly number[]): void {
    if (ids.length === 0) return;
    onClose();
    navigate(routeOf({ others: othersOf(ids, me) }, me));
  }

  return (
    <Dialog title={texts.sidebar.newDirect} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          open(
            chosen.value.length > 0 ? chosen.value : found.slice(0, 1).map((one) => one.user_id),
          );
        }}
      >
        <Field
          label={t.find}
          name="name"
          isFirst
          value={text.value}
          onInput={(value) => {
            text.value = value;
          }}
        />
        <div class="people-choices">
          {found.map(({ user_id: id, full_name }) => (
            <label key={id} class="check">
              <input
                type="checkbox"
                checked={chosen.value.includes(id)}
                onChange={() => toggle(id)}
              />
              <PresenceDot id={id} />
              <bdi>{full_name}</bdi>
            </label>
          ))}
          {found.length === 0 && <p class="hint">{t.none}</p>}
        </div>
        <div class="form-actions">
          <Button kind="primary" type="submit">
            {t.message}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
