import type { Domain as ListedDomain } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { useAction } from "../ui/use-action.ts";
import { useLoaded } from "../ui/use-loaded.ts";

const t = texts.organization;

/** The list of e-mail domains whose addresses may join. Each change is saved at once. */
export function DomainsField({ isAllowed }: { readonly isAllowed: boolean }) {
  const { client } = useOrganization();
  const list = useLoaded(async () => (await client.listDomains()).domains, ["realm_domains"]);
  const { run, isBusy, problem } = useAction();
  // The requested change. It is shown until the list is loaded again or the server refuses the request.
  const asked = useSignal<ListedDomain | undefined>(undefined);
  useEffect(() => {
    asked.value = undefined;
  }, [list.value]);

  async function change(to: ListedDomain): Promise<void> {
    asked.value = to;
    if (!(await run(() => client.updateDomain(to)))) asked.value = undefined;
  }

  return (
    <fieldset class="setting setting-list" disabled={!isAllowed || isBusy}>
      <legend>{t.domains}</legend>
      <ul aria-label={t.domains}>
        {list.value?.map(({ domain, allow_subdomains }) => (
          <li key={domain}>
            <bdi>{domain}</bdi>
            <label class="check">
              <input
                type="checkbox"
                checked={
                  asked.value?.domain === domain ? asked.value.allow_subdomains : allow_subdomains
                }
                onChange={(event) =>
                  void change({ domain, allow_subdomains: event.currentTarget.checked })
                }
              />
              {t.subdomains}
            </label>
            <Button
              kind="quiet"
              label={t.removeDomain(domain)}
              disabled={!isAllowed || isBusy}
              onClick={() => void run(() => client.removeDomain({ domain }))}
            >
              {t.remove}
            </Button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const domain = textOf(form, "domain");
          void run(() => client.addDomain({ domain, allow_subdomains: false })).then((isDone) => {
            if (isDone) form.reset();
          });
        }}
      >
        <Field label={t.newDomain} name="domain" required hint={t.newDomainHint} />
        <Button type="submit" disabled={!isAllowed || isBusy}>
          {t.addDomain}
        </Button>
      </form>
      {(problem ?? list.problem) !== undefined && <Alert>{problem ?? list.problem}</Alert>}
    </fieldset>
  );
}
