import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import { sendFirstRequest } from "./messages/first-request.ts";
import { route } from "./navigation.ts";
import { type Account, accounts } from "./session/accounts.ts";
import { SignIn } from "./session/sign-in.tsx";
import { Shell } from "./shell.tsx";
import { Organization } from "./store/organization.ts";
import { OrganizationContext } from "./store/use-organization.ts";
import { texts } from "./texts.ts";

/** The organization of the current account, or the form to sign in. */
export function App() {
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
  // Opens before the first frame is drawn, because drawing would delay the first request.
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

function openOrganization(account: Account): Organization {
  const organization = new Organization(account);
  void organization.start(() => sendFirstRequest(organization.client, route.value));
  return organization;
}
