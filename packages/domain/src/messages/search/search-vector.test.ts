import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { searchTexts, searchVector, searchVectorInTopic, topicWords } from "./search-vector.ts";

describe("the search vector of a message", () => {
  const db = useDatabase();
  const vector = searchVector({ topic: "$1", content: "$2" });

  async function lexemes(topic: string, html: string): Promise<string> {
    const texts = searchTexts(topic, html);
    const [row] = await db.rows<{ lexemes: string }>(`SELECT ((${vector}))::text AS lexemes`, [
      texts.topicWords,
      texts.contentWords,
    ]);
    return row?.lexemes ?? "";
  }

  it("contains the stems of its topic and of its content", async () => {
    expect(await lexemes("Cooking <b>", '<p><a href="/x">soups</a> &amp; “SALAD”…</p>')).to.equal(
      "'b':2A 'cook':1A 'salad':4 'soup':3",
    );
    expect(await lexemes("", "<p>the</p>")).to.equal("");
  });

  it("replaces the words of the topic without losing those of the content", async () => {
    for (const [from, to, html] of [
      ["soup", "salad", "<p>soup and bread</p>"],
      ["soup of today", "", "<p>bread</p>"],
      ["", "soup", "<p></p>"],
      ["a & b", "Soup: and/or <salad>", "<p>salad a b</p>"],
    ] as const) {
      const before = searchTexts(from, html);
      const [row] = await db.rows<{ moved: string[]; topic: string[] }>(
        `SELECT tsvector_to_array(moved) AS moved, tsvector_to_array(ts_filter(moved, '{a}')) AS topic
         FROM (SELECT ${searchVectorInTopic(`(${vector})`, "$3")} AS moved) v`,
        [before.topicWords, before.contentWords, topicWords(to)],
      );
      const [fresh] = await db.rows<{ all: string[]; topic: string[] }>(
        `SELECT tsvector_to_array(v) AS all, tsvector_to_array(ts_filter(v, '{a}')) AS topic FROM (SELECT ${vector} AS v) x`,
        [topicWords(to), before.contentWords],
      );
      expect(row).to.deep.equal({ moved: fresh?.all, topic: fresh?.topic });
    }
  });
});
