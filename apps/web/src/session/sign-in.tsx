import { Client, ApiError } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { textOf } from "../forms.ts";
import { reasonOf } from "../reason.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { accounts } from "./accounts.ts";
import { siteOf } from "./site.ts";

const t = texts.session;

/** The form by which somebody signs in with a password. */
export function SignIn({ notice }: { readonly notice?: string | undefined }) {
  const site = siteOf(document);
  const name = useSignal("");
  const error = useSignal(notice);
  const busy = useSignal(false);

  useEffect(() => {
    new Client({ site })
      .getServerSettings()
      .then(({ realm_name }) => (name.value = realm_name))
      .catch(() => {
        // Signing in tells what is wrong.
      });
  }, [site]);

  async function signIn(form: HTMLFormElement): Promise<void> {
    busy.value = true;
    error.value = undefined;
    try {
      const { api_key, email, user_id } = await new Client({ site, retries: 1 }).fetchApiKey({
        username: textOf(form, "email"),
        password: textOf(form, "password"),
      });
      accounts.add({ site, email, apiKey: api_key, userId: user_id });
    } catch (cause) {
      error.value = messageOf(cause);
    } finally {
      busy.value = false;
    }
  }

  return (
    <main class="sign-in">
      <form
        class="sign-in-form"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(event.currentTarget);
        }}
      >
        <h1>
          <bdi>{name.value || texts.app.name}</bdi>
        </h1>
        <Field label={t.email} name="email" type="email" autoComplete="username" required />
        <Field
          label={t.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {error.value !== undefined && <Alert>{error.value}</Alert>}
        <Button kind="primary" type="submit" disabled={busy.value}>
          {busy.value ? t.submitting : t.submit}
        </Button>
      </form>
    </main>
  );
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof ApiError) || cause.status === 0) return t.noAnswer;
  return cause.code === "AUTHENTICATION_FAILED" ? t.refused : reasonOf(cause);
}
