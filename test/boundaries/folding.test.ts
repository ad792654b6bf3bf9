import { expect } from "chai";

import { readProductionFiles } from "./source-files.ts";

/**
 * Files in which JavaScript may fold case, because no unique index of the database compares the same texts, with the
 * text that is folded.
 */
const foldedInMemory: Readonly<Record<string, string>> = {
  "packages/model/src/fold-case.ts": "what every locale folds alike",
  "packages/model/src/users/full-name.ts": "names that the server uses itself",
  "packages/model/src/users/look-alikes.ts": "names, by what they look like",
  "packages/model/src/users/avatar.ts": "Gravatar's hash",
  "packages/model/src/channels/names.ts": "hexadecimal digits",
  "packages/model/src/settings.ts": "names of time zones",
  "packages/model/src/realms.ts": "host names",
  "packages/markdown/src/alert-words.ts": "words of messages, for a search in memory",
  "packages/markdown/src/blocks/code-languages.ts": "names of programming languages",
  "packages/markdown/src/emoji/names.ts": "Unicode's names of emoji",
  "packages/markdown/src/links/find-urls.ts": "endings of host names",
  "packages/markdown/src/links/target.ts": "schemes of addresses",
  "packages/markdown/src/linkifiers/url-template.ts": "hexadecimal digits",
  "packages/markdown/src/links/slug.ts": "hexadecimal digits",
  "packages/markdown/src/lookups.ts": "names of an organization without any",
  "packages/domain/src/users/change-address.ts": "addresses that the server generates, in ASCII",
  "packages/domain/src/alert-words/alert-words.ts": "alert words, which the database does not fold",
  "packages/domain/src/users/allowed-addresses.ts": "domains of addresses, in ASCII",
  "packages/domain/src/realms/domains.ts": "domains, in ASCII",
  "packages/domain/src/invitations/parse-invitees.ts": "addresses of one request",
  "packages/domain/src/push/devices/legacy-tokens.ts": "hexadecimal digits",
  "packages/domain/src/messages/read/match-messages.ts":
    "initials of words, for a search in memory",
  "packages/domain/src/messages/send/read-by-sender.ts": "names of programs",
  "packages/domain/src/scheduling-bot/parse-command.ts": "keywords of commands",
  "packages/domain/src/scheduling-bot/read-when.ts": "units of time",
  "packages/domain/src/scheduling-bot/rule-words.ts": "English words",
  "packages/domain/src/files/content-type.ts": "content types, in ASCII",
  "packages/domain/src/messages/change/check-change.ts": "hexadecimal digits",
  "packages/domain/src/scheduled/series/schedule.ts": "recurrence rules, in ASCII",
};

describe("Case", () => {
  it("is folded by the database wherever a unique index compares the same texts", async () => {
    const sources = await readProductionFiles([
      "packages/model/src",
      "packages/domain/src",
      "packages/markdown/src",
    ]);
    const folding = sources
      .filter(({ text }) => /\.to(?:Locale)?(?:Lower|Upper)Case\(/.test(text))
      .map(({ path }) => path);
    expect(folding.toSorted(), "docs/decisions/047: ask with loadFolding").to.deep.equal(
      Object.keys(foldedInMemory).toSorted(),
    );
  });
});
