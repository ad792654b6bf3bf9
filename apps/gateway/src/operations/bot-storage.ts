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
import { cutOffIfOthersWait } from "../http/slow-reader.ts";

/** Storage up to this many characters is read before the answer begins. */
const small = 500_000;

export default [
  handle.reads(contract.getBotStorage, async ({ snapshot, input: { keys }, actor }) => {
    const read = () => snapshot((tx) => readPieces(storedParts(tx, actor, keys)));
    const pieces = await snapshot(async (tx) => {
      const size = await measureStorage(tx, actor, keys);
      return size > small ? undefined : readPieces(storedParts(tx, actor, keys));
    });
    if (pieces) return { storage: new JsonText(() => pieces) };
    // Read the rows completely before responding, so that a slow client cannot keep the transaction open.
    return {
      storage: new JsonText(async function* () {
        const release = await largeValueSemaphore.acquire(actor.id);
        try {
          yield* cutOffIfOthersWait(await read(), largeValueSemaphore);
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

/** Reads all pieces of the JSON as UTF-8, outside of V8's heap: strings of 40 MB made the heap grow by 40 MB more. */
async function readPieces(pages: ReturnType<typeof storedParts>): Promise<Buffer[]> {
  const text = new EntriesText();
  const pieces: Buffer[] = [];
  for await (const page of pages) pieces.push(Buffer.from(text.add(page)));
  pieces.push(Buffer.from(text.end()));
  return pieces;
}
