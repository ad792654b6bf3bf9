import { missedMail } from "@carillon/domain";
import {
  organization,
  pageVisitor,
  send,
  testSite,
  type TestOrganization,
  toUsers,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

describe("The page that ends mails about missed messages", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let path: string;
  before(async () => {
    org = await organization(db);
    const id = await send(gateway.as(org.owner), toUsers([org.member.id]));
    const mail = await missedMail(db, testSite(), org.realm.id, {
      userId: org.member.id,
      messageIds: [id],
      more: 0,
    });
    path = new URL(mail?.unsubscribeUrl ?? "").pathname;
  });
  const client = () => gateway.anonymous;
  const wantsMail = async () => {
    const row = await db.prisma.user.findUniqueOrThrow({ where: { id: org.member.id } });
    const settings = row.settings as Record<string, unknown>;
    return settings["enable_offline_email_notifications"] !== false;
  };

  it("changes nothing when it is opened, by a person or a scanner", async () => {
    for (const method of ["GET", "HEAD"])
      expect((await client().send(method, path)).status).to.equal(200);
    const page = await pageVisitor(client()).open(path);
    expect(page.text).to.include(org.member.deliveryEmail);
    expect(page.text).to.include('<form method="post">');
    expect(page.headers.get("referrer-policy")).to.equal("no-referrer");
    expect(await wantsMail()).to.equal(true);
  });

  it("answers 404 for an invalid link", async () => {
    for (const wrong of [
      path.slice(0, -1),
      `${path}0`,
      path.replace(/\d+x/, "1x"),
      path.replace(/\d+x/, "9999999999x"),
    ])
      for (const method of ["GET", "POST"])
        expect((await client().send(method, wrong)).status, `${method} ${wrong}`).to.equal(404);
    expect(await wantsMail()).to.equal(true);
  });

  it("accepts the one-click request of a mail program, and a repeated one", async () => {
    for (let clicks = 0; clicks < 2; clicks++) {
      const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      const answer = await client().send("POST", path, { body });
      expect(answer.status).to.equal(200);
      expect(answer.text).to.include("gets no more mails");
      expect(await wantsMail()).to.equal(false);
    }
  });
});
