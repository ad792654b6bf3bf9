import type { ClientCapability, ProgramNeed } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import type { Account, Memberships, Realm, Site } from "@carillon/model";

/** What a section of the snapshot may ask. Everything is read through `tx`: it sees one moment. */
export interface SnapshotContext {
  readonly tx: Tx;
  readonly site: Site;
  readonly realm: Realm;
  /** Who registers. */
  readonly actor: Account;
  /** The groups that the actor is in, at any depth. */
  readonly memberships: Memberships;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  /** Days */
  readonly presenceHistoryLimit: number;
  readonly includeSubscribers: boolean | "partial";
  readonly capabilities: ReadonlySet<ClientCapability>;
  /** Of the program that registers. */
  readonly needs: readonly ProgramNeed[];
  /** The sections that the client named; undefined where it wants everything. */
  readonly named: ReadonlySet<string> | undefined;
}

/** A part of the snapshot (events.md §1.2). Every exported section of this package is found and served. */
export interface Section {
  /** It is sent when all of these are asked for. */
  readonly names: readonly string[];
  /** Its fields, spelled as on the wire. */
  load(context: SnapshotContext): Promise<Readonly<Record<string, unknown>>>;
}

/** What the client is told instead of the empty topic: its display name, unless the client knows the empty one. */
export function emptyTopicFor({ capabilities, realm }: SnapshotContext): string {
  return capabilities.has("empty_topic_name") ? "" : realm.emptyTopicDisplayName;
}
