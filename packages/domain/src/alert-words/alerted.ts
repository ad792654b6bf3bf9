import { setImmediate } from "node:timers/promises";

import { statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import { AlertWords } from "@carillon/markdown";

const activeOf = statement({
  name: "alert-words-active",
  text: "SELECT id FROM users WHERE id = ANY($1::int[]) AND is_active",
});

/**
 * Returns, for each raw content, the active accounts whose alert words it contains (messages.md §3). Runs one
 * statement, and a second one if any word matches.
 */
export async function loadAlerted(
  tx: Tx,
  realmId: number,
  contents: readonly string[],
): Promise<ReadonlyArray<ReadonlySet<number>>> {
  const words = await cachedAlertWords(tx, realmId);
  const owners = await inSlices(contents, (content) => words.ownersIn(content));
  const all = new Set(owners.flatMap((some) => [...some]));
  if (all.size === 0) return owners;
  const active = new Set((await tx.rows(activeOf, [[...all]])).map(({ id }) => id));
  return owners.map((some) => new Set([...some].filter((id) => active.has(id))));
}

/** The cached words of an organization. */
interface CachedWords {
  readonly words: AlertWords;
  /** The cached version of each account's words. */
  readonly versions: Map<number, number>;
  /** All changes up to this version are cached. */
  version: number;
}

/** Maximum cached words of all organizations; beyond that, the least recently used organization is dropped. */
const maxWords = 500_000;
/** Maximum accounts and words of a page: the driver holds a whole page in memory. */
const pageAccounts = 500;
const pageWords = 10_000;
/** Milliseconds of work before yielding to the event loop. */
const slice = 5;

/** By database, then by organization, least recently used first. */
const caches = new WeakMap<object, Map<number, CachedWords>>();

const changedSince = statement({
  name: "alert-words-changed-since",
  text: `SELECT changed.user_id AS "userId", changed.version,
      ARRAY(SELECT w.word::text FROM alert_words w WHERE w.user_id = changed.user_id) AS words
    FROM (SELECT o.user_id, o.version, sum(o.words) OVER (ORDER BY o.version) - o.words AS before
      FROM alert_word_owners o WHERE o.realm_id = $1 AND o.version > $2
      ORDER BY o.version LIMIT ${pageAccounts}) changed
    WHERE changed.before < ${pageWords} ORDER BY changed.version`,
});

/**
 * Returns a matcher of the alert words of the organization's accounts. Each process caches it and reads only later
 * changes: each change gives the account's words a new version, in the order of commits, so that all later sends see a
 * word added by any process. Without changes it costs one index lookup.
 */
async function cachedAlertWords(tx: Tx, realmId: number): Promise<AlertWords> {
  const ofDatabase = organizationsOf(tx.database);
  const own = ofDatabase.get(realmId) ?? {
    words: new AlertWords(),
    versions: new Map(),
    version: 0,
  };
  ofDatabase.delete(realmId);
  ofDatabase.set(realmId, own);
  for (;;) {
    const page = await tx.rows(changedSince, [realmId, own.version]);
    let words = 0;
    let began = performance.now();
    for (const account of page) {
      if (performance.now() - began > slice) {
        await setImmediate();
        began = performance.now();
      }
      put(own, account);
      words += account.words.length;
    }
    own.version = Math.max(own.version, page.at(-1)?.version ?? 0);
    if (page.length < pageAccounts && words < pageWords) break;
  }
  evict(ofDatabase);
  return own.words;
}

function organizationsOf(database: object): Map<number, CachedWords> {
  let known = caches.get(database);
  if (!known) caches.set(database, (known = new Map()));
  return known;
}

/** A concurrent transaction may already have cached newer words. */
function put(
  { words: all, versions }: CachedWords,
  { userId, version, words }: { userId: number; version: number; words: readonly string[] },
): void {
  if (version <= (versions.get(userId) ?? 0)) return;
  all.replace(userId, words);
  versions.set(userId, version);
}

function evict(ofDatabase: Map<number, CachedWords>): void {
  let total = 0;
  for (const { words } of ofDatabase.values()) total += words.size;
  for (const [realmId, { words }] of ofDatabase) {
    if (total <= maxWords || ofDatabase.size === 1) return;
    total -= words.size;
    ofDatabase.delete(realmId);
  }
}
