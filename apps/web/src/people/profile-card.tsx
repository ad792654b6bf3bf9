import { hashOf } from "../route.ts";
import { othersOf, routeOf } from "../store/conversation.ts";
import type { Person } from "../store/people.ts";
import { roleNamed } from "../store/roles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

const t = texts.people;

export interface ProfileCardProps {
  readonly id: number;
  readonly onClose: () => void;
}

/** The profile of a person, with links to their messages. */
export function ProfileCard({ id, onClose }: ProfileCardProps) {
  const { people, presence, statuses, me, client, notices, topicPolicies } = useOrganization();
  const person = people.byId.get(id);
  if (!person) return null;
  const isMuted = topicPolicies.mutedUsers.get(id) !== undefined;
  const role = roleNamed(person.role);
  const status = statuses.textOf(id);
  return (
    <Dialog title={person.full_name} onClose={onClose}>
      <div class="profile">
        <Avatar name={person.full_name} id={id} url={person.avatar_url} />
        <dl>
          <dt class="for-readers">{t.offline}</dt>
          <dd>{person.is_active ? t[presence.of(id)] : texts.common.deactivated}</dd>
          {status !== "" && <dd dir="auto">{status}</dd>}
          <dt>{texts.common.role}</dt>
          <dd>{person.is_bot ? t.bot : role && texts.organization.roles[role]}</dd>
          {person.delivery_email !== null && (
            <>
              <dt>{texts.common.email}</dt>
              <dd>{person.delivery_email}</dd>
            </>
          )}
          <LocalTime person={person} />
        </dl>
      </div>
      <div class="profile-ways">
        <a href={hashOf(routeOf({ others: othersOf([id], me) }, me))} onClick={onClose}>
          {t.message}
        </a>
        <a
          href={hashOf({
            page: "messages",
            terms: [{ operator: "sender", operand: id }],
            near: null,
          })}
          onClick={onClose}
        >
          {t.messages}
        </a>
        {id !== me && (
          <Button
            onClick={() => {
              const user = { muted_user_id: id };
              notices.attempt(isMuted ? client.unmuteUser(user) : client.muteUser(user));
            }}
          >
            {isMuted ? t.unmute : t.mute}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function LocalTime({ person }: { readonly person: Person }) {
  if (person.timezone === "") return null;
  return (
    <>
      <dt>{t.localTime}</dt>
      <dd>{timeIn(person.timezone)}</dd>
    </>
  );
}

/** Returns the time in a zone; empty if the browser does not know it. */
function timeIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, {
      hour: "numeric",
      minute: "2-digit",
      weekday: "short",
      timeZone,
    }).format();
  } catch {
    return "";
  }
}
