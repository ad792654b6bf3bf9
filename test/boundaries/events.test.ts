import { allEvents, type EventDeclaration, eventDeclarations, kindOf } from "@carillon/contract";
import { expect } from "chai";

import { markedEvents } from "./event-marks.ts";
import { protocolPage, readPages } from "./protocol-pages.ts";
import { readProductionFiles } from "./source-files.ts";

const declarations = Object.entries<EventDeclaration>(eventDeclarations);

describe("events", () => {
  it("are served as the catalogue of the protocol's page says", async () => {
    const page = (await readPages()).find(({ name }) => name === "events.md");
    const marked = markedEvents(page ?? protocolPage("events.md", ""), "4");
    const declared = new Map(
      allEvents
        .filter(({ internal }) => !internal)
        .map((event) => [kindOf(event), event.notServedYet === true]),
    );
    const wrong = [...marked]
      .filter(([kind, isMarked]) => (declared.get(kind) ?? true) !== isMarked)
      .map(([kind]) => kind);
    expect(wrong, "marked and served, or not marked and not served").to.deep.equal([]);
    // Opt-in events are Carillon's own: docs/api/event-types.md, generated from the declarations, is enough for them.
    const missing = allEvents
      .filter(({ internal, optIn, notServedYet }) => !internal && !optIn && !notServedYet)
      .map(kindOf)
      .filter((kind) => !marked.has(kind));
    expect(missing, "served, and not on the page").to.deep.equal([]);
    expect(marked.size).to.be.greaterThan(40);
  });

  it("are identified by type and op on that page", () => {
    const text = [
      "## 3. Other",
      "| `other` | x |",
      "## 4. Events",
      "| type / op | Payload |",
      "| `plain` | x |",
      "| `later` **Not served yet.** | x |",
      "| `both` add, delete; update **Not served yet.** | x |",
      "## 5. More",
      "| `more` | x |",
    ].join("\n");
    expect([...markedEvents(protocolPage("events.md", text), "4")]).to.deep.equal([
      ["plain", false],
      ["later", true],
      ["both/add", false],
      ["both/delete", false],
      ["both/update", true],
    ]);
  });

  it("are each created in one file, unserved ones in none", async () => {
    const files = (await readProductionFiles(["packages", "apps"])).filter(
      ({ path }) => !/^packages\/(?:contract|testkit)\/|\/event-formats\//.test(path),
    );
    const makers = new Map<string, string[]>(declarations.map(([name]) => [name, []]));
    for (const { path, text } of files)
      for (const name of importedValues(text)) makers.get(name)?.push(path);
    // Formats make the events that only older clients get.
    const substitutes = new Set(
      allEvents.flatMap(({ older }) => Object.values(older).flatMap((form) => form.becomes ?? [])),
    );
    for (const [name, event] of declarations) {
      const places = makers.get(name) ?? [];
      if (event.notServedYet) expect(places, name).to.deep.equal([]);
      else if (places.length > 0 || !substitutes.has(event))
        expect(places, name).to.have.lengthOf(1);
    }
  });

  it("are not named in the log and the polls", async () => {
    const files = (await readProductionFiles(["packages/events/src"])).filter(
      // Redis has unrelated messages.
      ({ path }) => !path.includes("/wake-ups/"),
    );
    const types = [...new Set(allEvents.map(({ type }) => type))].join("|");
    // Matches an event's type, or a column of accounts that only rules may read.
    const named = new RegExp(
      String.raw`["'\x60](?:${types})["'\x60]|\bu\.(?:role|is_active|api_key\w*)\b`,
      "g",
    );
    const known = files.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(named)].map(([name]) => `${path}: ${name}`),
    );
    expect(files.length).to.be.greaterThan(20);
    expect(known).to.deep.equal([]);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}

/** Returns the names, without types, that a file imports from the contract. */
function importedValues(text: string): string[] {
  return [...text.matchAll(/import \{([^}]*)\} from "@carillon\/contract"/g)]
    .flatMap(([, list = ""]) => list.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}
