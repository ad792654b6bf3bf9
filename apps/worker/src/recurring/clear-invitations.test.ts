import { startTask } from "@carillon/scheduling";
import { silentLogger } from "@carillon/kit";
import { channel, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import clearInvitationsTask from "./clear-invitations.ts";

describe("the recurring work clear-invitations", () => {
  const db = useDatabase();

  it("deletes links 30 days after they have ended, in batches, with their channels, and nothing else", async () => {
    const { realm, member, owner } = await organization(db);
    const room = await channel(db, owner);
    const write = (name: string, count: number, expires: string | null, ended: string | null) =>
      db.rows(
        `INSERT INTO invitations (realm_id, kind, maker_id, email, role, include_defaults, notify_referrer, key_digest,
           key_sealed, expires_at, ended_at)
         SELECT $1, 'email', $2, $3::text, 400, false, true, sha256(($3::text || n)::bytea), '', now() + $5::interval, now() + $6::interval
         FROM generate_series(1, $4::int) n`,
        [realm.id, member.id, name, count, expires, ended],
      );
    await write("expired@example.com", 1_005, "-31 days", null);
    await write("revoked@example.com", 1, "10 days", "-31 days");
    await write("used-forever@example.com", 1, null, "-31 days");
    await db.rows(
      "INSERT INTO invitation_channels SELECT id, $1 FROM invitations WHERE email = 'revoked@example.com'",
      [room.id],
    );
    await write("open@example.com", 1, null, null);
    await write("young@example.com", 1, "-29 days", null);
    await write("ended@example.com", 1, null, "-29 days");
    await db.rows(
      `INSERT INTO invitation_sendings (realm_id, mails, sent_at)
       SELECT $1, 1, now() - make_interval(days => n) FROM unnest($2::int[]) n`,
      [realm.id, [13, 11]],
    );
    const clearing = startTask(clearInvitationsTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    const left = await db.rows<{ email: string }>("SELECT email FROM invitations ORDER BY id");
    expect(left.map(({ email }) => email)).to.deep.equal([
      "open@example.com",
      "young@example.com",
      "ended@example.com",
    ]);
    expect(await db.prisma.invitationSending.count()).to.equal(1);
  });
});
