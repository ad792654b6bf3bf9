import type { GroupSettingValue, UserGroup } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import type { Option } from "../ui/select.tsx";
import { groupOptions, optionOf } from "./group-setting.ts";
import { MethodsField } from "./methods-field.tsx";
import { changeOf, type OneValueSetting, type Setting } from "./organization-settings.ts";
import { useAction } from "../ui/use-action.ts";

const t = texts.organization.settings;

export interface SettingFieldProps {
  readonly setting: Setting;
  readonly groups: readonly UserGroup[];
  /** Whether the account may change it. */
  readonly isAllowed: boolean;
}

/** One setting. Choices are saved at once, texts and numbers by their button. */
export function SettingField(props: SettingFieldProps) {
  const { name, kind } = props.setting;
  return kind === "methods" ? (
    <MethodsField isAllowed={props.isAllowed} />
  ) : (
    <OneValueField {...props} setting={{ name, kind }} />
  );
}

interface OneValueFieldProps extends SettingFieldProps {
  readonly setting: OneValueSetting;
}

function OneValueField({ setting, groups, isAllowed }: OneValueFieldProps) {
  const { client, settings, channels } = useOrganization();
  const id = useId();
  const { run, isBusy, problem } = useAction();
  const before = settings.organization.get(setting.name);
  const typed = useSignal<string | undefined>(undefined);
  const value = typed.value ?? textOf(setting, before);
  const options = optionsOf(setting, before, groups, () =>
    channels.byId
      .all()
      .filter(({ is_archived }) => !is_archived)
      .map(({ stream_id, name }) => ({ value: String(stream_id), label: name })),
  );
  const isDisabled = !isAllowed || isBusy;

  const save = async (text: string) => {
    typed.value = text;
    const isDone = await run(() => client.updateRealm(changeOf(setting, text, before)));
    // A refused choice goes back to what it was; a refused text stays, to be corrected.
    if (isDone || options) typed.value = undefined;
  };

  return (
    <form
      class="setting"
      onSubmit={(event) => {
        event.preventDefault();
        void save(value);
      }}
    >
      <label for={id}>{t.names[setting.name]}</label>
      {setting.kind === "boolean" ? (
        <input
          id={id}
          name={setting.name}
          type="checkbox"
          checked={value === "true"}
          disabled={isDisabled}
          onChange={(event) => void save(String(event.currentTarget.checked))}
        />
      ) : options ? (
        <select
          id={id}
          name={setting.name}
          value={value}
          disabled={isDisabled}
          onChange={(event) => void save(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <TextInput
          id={id}
          setting={setting}
          value={value}
          isDisabled={isDisabled}
          onInput={(text) => {
            typed.value = text;
          }}
        />
      )}
      {!options && setting.kind !== "boolean" && value !== textOf(setting, before) && (
        <Button type="submit" kind="primary" disabled={isBusy}>
          {texts.common.save}
        </Button>
      )}
      {problem !== undefined && <Alert>{problem}</Alert>}
    </form>
  );
}

interface TextInputProps {
  readonly id: string;
  readonly setting: Setting;
  readonly value: string;
  readonly isDisabled: boolean;
  readonly onInput: (text: string) => void;
}

function TextInput({ id, setting: { kind, name }, value, isDisabled, onInput }: TextInputProps) {
  const listen = (event: { readonly currentTarget: { readonly value: string } }) =>
    onInput(event.currentTarget.value);
  if (kind === "long-text")
    return (
      <textarea
        id={id}
        name={name}
        rows={3}
        dir="auto"
        value={value}
        disabled={isDisabled}
        onInput={listen}
      />
    );
  if (kind === "text")
    return (
      <input id={id} name={name} dir="auto" value={value} disabled={isDisabled} onInput={listen} />
    );
  const placeholder = kind === "seconds" || kind === "days" ? texts.common.unlimited : undefined;
  return (
    <input
      id={id}
      name={name}
      type="number"
      min={0}
      placeholder={placeholder}
      value={value}
      disabled={isDisabled}
      onInput={listen}
    />
  );
}

function textOf({ kind }: Setting, value: unknown): string {
  if (kind === "group") return optionOf(value as GroupSettingValue | undefined);
  // The snapshot has null for unlimited seconds, and -1 for unlimited days.
  if (kind === "seconds" || kind === "days")
    return typeof value === "number" && value >= 0 ? String(value) : "";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

/** Returns the options of a setting that is a choice. */
function optionsOf(
  { kind }: Setting,
  value: unknown,
  groups: readonly UserGroup[],
  channelOptions: () => readonly Option[],
): readonly Option[] | undefined {
  if (kind === "group") return groupOptions(groups, value as GroupSettingValue | undefined);
  if (kind === "channel") return [{ value: "-1", label: texts.common.none }, ...channelOptions()];
  if (typeof kind === "string") return undefined;
  return kind.choices.map((choice) => ({ value: String(choice.value), label: choice.label }));
}
