import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Person } from "../store/people.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";

const t = texts.schedule;
/** More names than people read. */
const mostSuggestions = 8;

export interface PeopleFieldProps {
  readonly value: readonly number[];
  readonly onChange: (value: readonly number[]) => void;
}

/** The people that a direct message goes to; nobody is oneself. */
export function PeopleField({ value, onChange }: PeopleFieldProps) {
  const id = useId();
  const { people, me } = useOrganization();
  const typed = useSignal("");
  const isFree = (person: Person) =>
    person.is_active && person.user_id !== me && !value.includes(person.user_id);
  const words = typed.value.trim().toLowerCase();
  const matching =
    words === ""
      ? []
      : people.byId
          .all()
          .filter((person) => isFree(person) && person.full_name.toLowerCase().includes(words))
          .slice(0, mostSuggestions);

  function add(person: Person): void {
    typed.value = "";
    onChange([...value, person.user_id]);
  }

  return (
    <div class="people-field">
      <ul class="chosen-people">
        {value.map((userId) => (
          <li key={userId}>
            <bdi>{people.nameOf(userId) ?? texts.messages.unknownPerson}</bdi>
            <Button
              kind="quiet"
              label={t.removePerson(people.nameOf(userId) ?? "")}
              onClick={() => onChange(value.filter((one) => one !== userId))}
            >
              ✕
            </Button>
          </li>
        ))}
        {value.length === 0 && <li>{texts.messages.noteToSelf}</li>}
      </ul>
      <input
        id={id}
        aria-label={t.addPerson}
        placeholder={t.addPerson}
        autoComplete="off"
        dir="auto"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return;
          event.preventDefault();
          if (matching[0]) add(matching[0]);
        }}
      />
      {matching.length > 0 && (
        <ul class="found-people">
          {matching.map((person) => (
            <li key={person.user_id}>
              <Button onClick={() => add(person)}>
                <bdi>{person.full_name}</bdi>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
