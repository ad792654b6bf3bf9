import * as contract from "@carillon/contract";
import {
  deleteStorage,
  EntriesText,
  measureStorage,
  storedParts,
  writeStorage,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { largeTurns } from "../http/large-turns.ts";
import { JsonText } from "../http/pages.ts";

/** Characters that are read before the answer begins. */
const small = 500_000;

export default [
  handle.reads(contract.getBotStorage, async ({ snapshot, input: { keys }, actor }) => {
    const read = () => snapshot((tx) => textsOf(storedParts(tx, actor, keys)));
    const texts = await snapshot(async (tx) => {
      const size = await measureStorage(tx, actor, keys);
      return size > small ? undefined : textsOf(storedParts(tx, actor, keys));
    });
    if (texts) return { storage: new JsonText(() => texts) };
    // It has to be of one moment, and nobody's transaction waits for a client that reads slowly: it is read as a whole.
    return {
      storage: new JsonText(async function* () {
        const leave = await largeTurns.enter(actor.id);
        try {
          yield* await read();
        } finally {
          leave();
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

/** Pieces of the JSON. */
async function textsOf(pages: ReturnType<typeof storedParts>): Promise<string[]> {
  const text = new EntriesText();
  const pieces: string[] = [];
  for await (const page of pages) pieces.push(text.add(page));
  pieces.push(text.end());
  return pieces;
}
