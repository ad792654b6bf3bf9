import { signal } from "@preact/signals";
import { storage } from "../storage.ts";

/** An account that this browser is signed in to. */
export interface Account {
  /** Address of the server. */
  readonly site: string;
  readonly email: string;
  readonly apiKey: string;
  readonly userId: number;
}

interface Kept {
  readonly accounts: readonly Account[];
  /** Index of the account in use; −1 without one. */
  readonly current: number;
}

const nothing: Kept = { accounts: [], current: -1 };
const kept = signal<Kept>(storage.read<Kept>("accounts") ?? nothing);

/** The accounts that this browser knows. Signing out forgets the key, and revokes nothing. */
export const accounts = {
  get all(): readonly Account[] {
    return kept.value.accounts;
  },

  get current(): Account | undefined {
    return kept.value.accounts[kept.value.current];
  },

  /** Keeps an account and uses it. */
  add(account: Account): void {
    const others = kept.value.accounts.filter((other) => !same(other, account));
    keep({ accounts: [...others, account], current: others.length });
  },

  use(account: Account): void {
    keep({ ...kept.value, current: kept.value.accounts.findIndex((one) => same(one, account)) });
  },

  /** Shows the form to sign in to another account. */
  useNone(): void {
    keep({ ...kept.value, current: -1 });
  },

  /** Replaces the stored id of an account. */
  renumber(account: Account, userId: number): void {
    const all = kept.value.accounts.map((one) => (same(one, account) ? { ...one, userId } : one));
    keep({ ...kept.value, accounts: all });
  },

  /** Forgets an account and its key. */
  forget(account: Account): void {
    const rest = kept.value.accounts.filter((other) => !same(other, account));
    keep({ accounts: rest, current: rest.length - 1 });
  },
};

// Another tab has signed in or out.
addEventListener("storage", ({ key }) => {
  if (key === "carillon:accounts" || key === null)
    kept.value = storage.read<Kept>("accounts") ?? nothing;
});

function keep(next: Kept): void {
  storage.write("accounts", next);
  kept.value = next;
}

function same(one: Account, other: Account): boolean {
  return one.site === other.site && one.userId === other.userId;
}
