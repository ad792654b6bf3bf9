import { useSignal, useSignalEffect } from "@preact/signals";
import { render } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { type Account, accounts } from "./session/accounts.ts";
import { openOrganization } from "./session/open-organization.ts";
import { SignIn } from "./session/sign-in.tsx";
import { Shell } from "./shell.tsx";
import { OrganizationContext } from "./store/use-organization.ts";
import { texts } from "./texts.ts";

/** Draws the client into its page. */
export function draw(): void {
  render(<App />, document.getElementById("app") ?? document.body);
}

/** The organization of the current account, or the form to sign in. */
function App() {
  const { current } = accounts;
  const notice = useSignal<string | undefined>(undefined);
  if (!current) return <SignIn notice={notice.value} />;
  return (
    <SignedIn
      key={`${current.site} ${current.userId} ${current.apiKey}`}
      account={current}
      onRefused={() => {
        notice.value = texts.session.signedOut;
        accounts.forget(current);
        // Switching to another account would hide the reason. The form offers the other accounts, too.
        accounts.useNone();
      }}
    />
  );
}

interface SignedInProps {
  readonly account: Account;
  readonly onRefused: () => void;
}

function SignedIn({ account, onRefused }: SignedInProps) {
  const [organization] = useState(() => openOrganization(account));
  useLayoutEffect(() => () => organization.stop(), [organization]);
  useSignalEffect(() => {
    if (organization.connection.value === "refused") onRefused();
  });
  return (
    <OrganizationContext.Provider value={organization}>
      <Shell />
    </OrganizationContext.Provider>
  );
}
