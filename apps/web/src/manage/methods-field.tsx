import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { useAction } from "../ui/use-action.ts";

const t = texts.organization.settings;

/** The sign-in methods by name. */
type Methods = Readonly<Record<string, { readonly enabled: boolean }>>;

/** A checkbox for each way to sign in. Each change is saved at once. */
export function MethodsField({ isAllowed }: { readonly isAllowed: boolean }) {
  const { client, settings } = useOrganization();
  const { run, isBusy, problem } = useAction();
  const methods = (settings.organization.get("authentication_methods") ?? {}) as Methods;
  // The requested values. They are shown until the event of the change arrives or the server refuses the request.
  const asked = useSignal<Readonly<Record<string, boolean>> | undefined>(undefined);
  useEffect(() => {
    asked.value = undefined;
  }, [methods]);
  const isOn =
    asked.value ??
    Object.fromEntries(Object.entries(methods).map(([name, { enabled }]) => [name, enabled]));

  async function change(name: string, enabled: boolean): Promise<void> {
    // The request names all methods, because the server turns off those that it does not name.
    asked.value = { ...isOn, [name]: enabled };
    const request = { authentication_methods: asked.value };
    if (!(await run(() => client.updateRealm(request)))) asked.value = undefined;
  }
  return (
    <fieldset
      class="setting setting-list"
      name="authentication_methods"
      disabled={!isAllowed || isBusy}
    >
      <legend>{t.names.authentication_methods}</legend>
      {Object.entries(isOn).map(([name, enabled]) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={enabled}
            onChange={(event) => void change(name, event.currentTarget.checked)}
          />
          {t.methods[name] ?? name}
        </label>
      ))}
      {problem !== undefined && <Alert>{problem}</Alert>}
    </fieldset>
  );
}
