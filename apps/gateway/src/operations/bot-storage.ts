import * as contract from "@carillon/contract";
import {
  deleteStorage,
  EntriesText,
  measureStorage,
  storedParts,
  writeStorage,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { largeValueSemaphore } from "../http/account-semaphore.ts";
import { JsonText } from "../http/pages.ts";

/** Storage up to this many characters is read before the answer begins. */
const small = 500_000;

export default [
  handle.reads(contract.getBotStorage, async ({ snapshot, input: { keys }, actor }) => {
    const read = () => snapshot((tx) => textsOf(storedParts(tx, actor, keys)));
    const texts = await snapshot(async (tx) => {
      const size = await measureStorage(tx, actor, keys);
      return size > small ? undefined : textsOf(storedParts(tx, actor, keys));
    });
    if (texts) return { storage: new JsonText(() => texts) };
    // Read the rows completely before responding, so that a slow client cannot keep the transaction open.
    return {
      storage: new JsonText(async function* () {
        const release = await largeValueSemaphore.acquire(actor.id);
        try {
          yield* await read();
        } finally {
          release();
        }
      }),
    };
  }),

  handle.changes(contract.updateBotStorage, ({ tx, input, actor, services }) =>
    writeStorage(tx, actor, input.storage, services.botStorageLimit),
  ),

  handle.changes(contract.deleteBotStorage, ({ tx, input, actor }) =>
    deleteStorage(tx, actor, input.keys),
  ),
];

/** Reads all pieces of the JSON. */
async function textsOf(pages: ReturnType<typeof storedParts>): Promise<string[]> {
  const text = new EntriesText();
  const pieces: string[] = [];
  for await (const page of pages) pieces.push(text.add(page));
  pieces.push(text.end());
  return pieces;
}
