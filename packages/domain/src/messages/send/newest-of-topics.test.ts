import { declaredStatements, type Sql } from "@carillon/db";
import { parseMessage } from "@carillon/markdown";
import {
  channel,
  organization,
  rowsRead,
  useDatabase,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { loadMentionLookups } from "./mention-lookups.ts";

describe("the newest messages of the topics that texts link to", () => {
  const db = useDatabase();
  const topics = 30;
  const each = 500;
  let org: TestOrganization;
  let open: TestChannel;
  let hidden: TestChannel;

  before("write messages that the author has not received", async () => {
    org = await organization(db);
    const subscribers = [org.member];
    open = await channel(db, org.realm, { subscribers });
    hidden = await channel(db, org.realm, {
      subscribers,
      inviteOnly: true,
      historyPublicToSubscribers: false,
    });
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    for (const { recipientId } of [open, hidden])
      await db.rows(
        `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id)
         SELECT $1, $2, $3, true, 'topic ' || n % $4, '', '', 1, (SELECT min(id) FROM clients)
         FROM generate_series(1, $5::int) AS n`,
        [org.realm.id, org.admin.id, recipientId, topics, topics * each],
      );
    await db.rows("ANALYZE messages, user_messages, channels, recipients");
  });

  const statement = () => {
    const found = declaredStatements().find(({ name }) => name === "newest-of-topics");
    if (!found) throw new Error("there is no such statement");
    return found;
  };
  const linked = Array.from({ length: topics }, (_, i) => `topic ${i}`);
  const ofEach = <T>(value: T) => linked.map(() => value);
  const cost = ({ name }: TestChannel) =>
    rowsRead(
      db,
      statement(),
      [org.realm.id, ofEach(name), linked, ofEach(org.member.id)],
      "messages",
    );

  it("are found by reading one message of each topic", async () => {
    expect(await cost(open)).to.deep.equal({ found: topics, read: topics });
  });

  it("are searched among 200 messages of each topic with a protected history", async () => {
    expect(await cost(hidden)).to.deep.equal({ found: 0, read: 200 * topics });
  });

  it("are looked up once, however many texts of an author link to a topic", async () => {
    const parsed = parseMessage(`#**${hidden.name}>topic 1** and #**${hidden.name}>topic 2**`);
    const author = (authorId: number) => Array.from({ length: 50 }, () => ({ parsed, authorId }));
    const asked: Array<readonly unknown[]> = [];
    const sql: Sql = {
      rows: (of, values = []) => {
        if (typeof of !== "string" && of.name === "newest-of-topics") asked.push(values);
        return db.rows(of, values);
      },
    };
    const texts = [...author(org.member.id), ...author(org.admin.id)];
    await loadMentionLookups(sql, org.realm.id, "http://carillon.test", texts);
    expect(asked).to.have.length(1);
    expect(asked[0]?.[2]).to.have.length(4);
  });
});
