import { Client, ApiError, type GetServerSettingsResult } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { textOf } from "../forms.ts";
import { reasonOf } from "../reason.ts";
import { StorageAlert } from "../storage-alert.tsx";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { OtherAccounts } from "./account-menu.tsx";
import { accounts } from "./accounts.ts";
import { DemoAccounts } from "./demo-accounts.tsx";
import { beginSignIn, signInProblem } from "./identity-provider.ts";
import { siteOf, typedSite } from "./site.ts";

const t = texts.session;

/** The form to sign in: with a password, at the identity provider, or as a demo account. */
export function SignIn({ notice }: { readonly notice?: string | undefined }) {
  const site = siteOf(document);
  const settings = useSignal<GetServerSettingsResult | undefined>(undefined);
  const error = useSignal(notice);
  const busy = useSignal(false);

  useEffect(() => {
    new Client({ site })
      .getServerSettings()
      .then((answer) => (settings.value = answer))
      .catch(() => {
        // Ignored: signing in shows the error.
      });
  }, [site]);

  async function signIn(username: string, password: string, at: string = site): Promise<void> {
    busy.value = true;
    error.value = undefined;
    signInProblem.value = undefined;
    try {
      const client = new Client({ site: at, retries: 1 });
      const { api_key, email, user_id } = await client.fetchApiKey({ username, password });
      accounts.add({ site: at, email, apiKey: api_key, userId: user_id });
    } catch (cause) {
      error.value = messageOf(cause);
    } finally {
      busy.value = false;
    }
  }

  const problem = error.value ?? signInProblem.value;
  return (
    <main class="sign-in">
      <form
        class="sign-in-form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const address = textOf(form, "site").trim();
          const at = address === "" ? site : typedSite(address);
          if (at === undefined) error.value = t.noAddress;
          else void signIn(textOf(form, "email"), textOf(form, "password"), at);
        }}
      >
        <h1>
          <bdi>{settings.value?.realm_name ?? texts.app.name}</bdi>
        </h1>
        {settings.value?.email_auth_enabled !== false && (
          <>
            <Field
              label={texts.common.email}
              name="email"
              type="email"
              autoComplete="username"
              required
            />
            <Field
              label={t.password}
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
            <details class="sign-in-elsewhere">
              <summary>{t.elsewhere}</summary>
              <Field label={t.address} name="site" placeholder={site} hint={t.addressHint} />
            </details>
          </>
        )}
        <StorageAlert />
        {problem !== undefined && <Alert>{problem}</Alert>}
        {settings.value?.email_auth_enabled !== false && (
          <>
            <Button kind="primary" type="submit" disabled={busy.value}>
              {busy.value ? t.submitting : t.submit}
            </Button>
            <a class="sign-in-forgotten" href={`${site}/accounts/password/reset`}>
              {t.forgotten}
            </a>
          </>
        )}
        {providersOf(settings.value).map(({ name, display_name, login_url }) => (
          <Button key={name} disabled={busy.value} onClick={() => beginSignIn(site, login_url)}>
            {t.continueWith(display_name)}
          </Button>
        ))}
        <DemoAccounts
          site={site}
          disabled={busy.value}
          onChoose={({ email, password }) => void signIn(email, password)}
        />
        <OtherAccounts />
      </form>
    </main>
  );
}

/**
 * Returns the identity providers at which people can sign in here. The server sends the browser back to the organization's
 * own address, so that a page elsewhere would not get the key.
 */
function providersOf(settings: GetServerSettingsResult | undefined) {
  if (!settings || new URL(settings.realm_url).origin !== location.origin) return [];
  return settings.external_authentication_methods;
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof ApiError) || cause.status === 0) return t.noAnswer;
  return cause.code === "AUTHENTICATION_FAILED" ? t.refused : reasonOf(cause);
}
