import type { ClientCapability, ProgramNeed } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import type { Account, Memberships, Realm, Site } from "@carillon/model";

/** What a section of the snapshot can read. All queries run in `tx`, which is one database snapshot. */
export interface SnapshotContext {
  readonly tx: Tx;
  readonly site: Site;
  readonly realm: Realm;
  /** The account that registers. */
  readonly actor: Account;
  /** The groups that the actor is in, at any depth. */
  readonly memberships: Memberships;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  /** Days */
  readonly presenceHistoryLimit: number;
  readonly includeSubscribers: boolean | "partial";
  readonly capabilities: ReadonlySet<ClientCapability>;
  /** Needs of the client program that registers. */
  readonly needs: readonly ProgramNeed[];
  readonly webhookIntegrations: readonly ShownIntegration[];
  /** The sections that the client asked for; undefined for all. */
  readonly named: ReadonlySet<string> | undefined;
}

/** An integration of incoming webhooks in the format of the snapshot. Clients show it when a bot is set up. */
export interface ShownIntegration {
  readonly name: string;
  readonly display_name: string;
  /** Names of its events; null if it has none. */
  readonly all_event_types: readonly string[] | null;
  readonly config_options: readonly [];
  /** Query parameters that the bot's URL may have. */
  readonly url_options: readonly UrlOption[];
}

/** A query parameter of an integration. */
export interface UrlOption {
  readonly key: string;
  readonly label: string;
  readonly validator: "check_bool" | "check_string";
}

/** A part of the snapshot (events.md §1.2). Every section that this package exports is registered automatically. */
export interface Section {
  /** Event types: the section is sent if the client asks for all of them. */
  readonly names: readonly string[];
  /** Only clients that name the section get it: a request without a list of event types does not include it. */
  readonly optIn?: true;
  /** Loads the section's fields, named as in the wire format. */
  load(context: SnapshotContext): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Returns what the client receives for the empty topic: its display name, unless the client supports the empty name.
 */
export function emptyTopicFor({ capabilities, realm }: SnapshotContext): string {
  return capabilities.has("empty_topic_name") ? "" : realm.emptyTopicDisplayName;
}
