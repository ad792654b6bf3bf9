import { texts } from "../texts.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { accounts } from "./accounts.ts";

const t = texts.session;

/** The accounts of this browser: to change between them, add one, or sign out. */
export function AccountMenu() {
  const { all, current } = accounts;
  if (!current) return null;
  const items: MenuItem[] = [
    ...all
      .filter((account) => account !== current)
      .map((account) => ({
        label: t.use(account.email, new URL(account.site).host),
        onChoose: () => accounts.use(account),
      })),
    { label: t.add, onChoose: () => accounts.useNone() },
  ];
  return (
    <Menu label={texts.sidebar.account} items={items}>
      <Icon name="more" />
    </Menu>
  );
}

/** The ways back from the form to sign in, for those who have an account already. */
export function OtherAccounts() {
  if (accounts.all.length === 0) return null;
  return (
    <ul class="other-accounts" aria-label={t.accounts}>
      {accounts.all.map((account) => (
        <li key={`${account.site} ${account.userId}`}>
          <button type="button" class="link" onClick={() => accounts.use(account)}>
            {t.use(account.email, new URL(account.site).host)}
          </button>
        </li>
      ))}
    </ul>
  );
}
