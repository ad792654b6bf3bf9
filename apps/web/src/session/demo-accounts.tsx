import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";

/** An account that was made for trying Carillon. */
export interface DemoAccount {
  readonly name: string;
  readonly full_name: string;
  readonly email: string;
  readonly password: string;
}

export interface DemoAccountsProps {
  readonly site: string;
  readonly disabled: boolean;
  readonly onChoose: (account: DemoAccount) => void;
}

/** Names of this machine. Servers elsewhere have no demo accounts, and are not asked. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Offers the demo accounts of a server on this machine; shows nothing where there are none. */
export function DemoAccounts({ site, disabled, onChoose }: DemoAccountsProps) {
  const found = useSignal<readonly DemoAccount[]>([]);
  useEffect(() => {
    if (!loopback.test(location.hostname) || new URL(site).origin !== location.origin) return;
    demoAccountsOf(site).then(
      (accounts) => (found.value = accounts),
      () => {
        // Ignored: the form for a password remains.
      },
    );
  }, [site]);
  if (found.value.length === 0) return null;
  return (
    <section class="sign-in-others" aria-labelledby="demo-accounts">
      <h2 id="demo-accounts">{texts.session.demo}</h2>
      <ul>
        {found.value.map((account) => (
          <li key={account.email}>
            <Button disabled={disabled} onClick={() => onChoose(account)}>
              {account.full_name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

async function demoAccountsOf(site: string): Promise<readonly DemoAccount[]> {
  const answer = await fetch(`${site}/demo_accounts`);
  if (!answer.ok) return [];
  const { accounts } = (await answer.json()) as { accounts: readonly DemoAccount[] };
  return accounts;
}
