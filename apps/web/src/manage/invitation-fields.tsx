import { textOf } from "../forms.ts";
import { type Role, roles } from "../store/roles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Select } from "../ui/select.tsx";
import { roleOptions } from "./role-options.ts";

const t = texts.organization;
const day = 24 * 60;
const lifetimes = [1, 10, 30, 90];

/** What mailed invitations and reusable links have in common: the role, the channels and how long they work. */
export function InvitationFields() {
  const { channels } = useOrganization();
  const offered = channels.subscriptions
    .all()
    .filter(({ is_archived }) => !is_archived)
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <>
      <Select
        label={texts.common.role}
        name="role"
        value={String(roles.member)}
        options={roleOptions}
      />
      <Select
        label={t.worksFor}
        name="minutes"
        value={String(10 * day)}
        options={[
          ...lifetimes.map((days) => ({ value: String(days * day), label: t.days(days) })),
          { value: "", label: texts.common.unlimited },
        ]}
      />
      <fieldset class="choices long-choices">
        <legend>{t.channels}</legend>
        <label>
          <input type="checkbox" name="defaults" checked /> {t.defaultChannels}
        </label>
        {offered.map((channel) => (
          <label key={channel.stream_id}>
            <input type="checkbox" name="channel" value={channel.stream_id} />{" "}
            <bdi>{channel.name}</bdi>
          </label>
        ))}
      </fieldset>
    </>
  );
}

/** Returns the parameters that the fields stand for. */
export function invitationOf(form: HTMLFormElement) {
  const data = new FormData(form);
  const minutes = textOf(form, "minutes");
  return {
    invite_as: Number(textOf(form, "role")) as Role,
    invite_expires_in_minutes: minutes === "" ? null : Number(minutes),
    stream_ids: data.getAll("channel").map(Number),
    include_realm_default_subscriptions: data.has("defaults"),
  };
}
