import { getOwnUser, maxProfileUsers, updateOwnProfile } from "@carillon/contract";
import {
  bot,
  organization,
  profileField,
  refused,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Values of custom profile fields", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let fields: Record<number, number>;
  before(async () => {
    org = await organization(db);
    const choices =
      '{"a":{"text":"A","order":"1"},"__proto__":{"text":"B","order":"2"},"7":{"text":"C","order":"3"}}';
    const data: Readonly<Record<number, string>> = { 3: choices, 7: '{"subtype":"github"}' };
    fields = {};
    for (const fieldType of [1, 2, 3, 4, 5, 6, 7, 8])
      fields[fieldType] = (
        await profileField(db, org.realm, { fieldType, fieldData: data[fieldType] ?? "" })
      ).id;
  });

  const fieldOf = (type: number) => fields[type] ?? 0;
  const ask = (type: number, value: unknown) =>
    gateway
      .as(org.member)
      .call(updateOwnProfile, { params: { data: [{ id: fieldOf(type), value }] } });
  const takes = async (type: number, ...values: unknown[]) => {
    for (const value of values) {
      const { status, body } = await ask(type, value);
      expect(status, `${JSON.stringify(value)}: ${body.msg}`).to.equal(200);
      const { profile_data } = await gateway.as(org.member).succeed(getOwnUser);
      const stored = profile_data?.[fieldOf(type)];
      expect(stored?.value).to.equal(typeof value === "string" ? value : JSON.stringify(value));
      expect("rendered_value" in stored!).to.equal(type < 3);
    }
  };
  const refuses = async (type: number, ...values: unknown[]) => {
    for (const value of values) await refused(db, () => ask(type, value), "BAD_REQUEST");
  };

  for (const [type, most] of [
    [1, 50],
    [2, 500],
    [7, 50],
    [8, 50],
  ] as const) {
    it(`of type ${type} are unchanged texts of at most ${most} code points`, async () => {
      await takes(type, "x", "🍲".repeat(most), " <b>*&amp;*</b>\n@**all** ", "__proto__", "null");
      await refuses(type, "x".repeat(most + 1), "🍲".repeat(most + 1), [1], [org.member.id]);
    });

    it(`of type ${type} refuse text that a column cannot store`, () =>
      refuses(type, "a\u0000b", "\ud800", "\udc00x"));
  }

  it("of type 3 are keys of choices", async () => {
    await takes(3, "a", "__proto__", "7");
    await refuses(3, "A", "b", "constructor", "toString", " a", "07", [7]);
  });

  it("of type 4 are calendar dates", async () => {
    await takes(4, "2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31", "2000-02-29");
    await refuses(
      4,
      "2026-02-30",
      "2025-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-01-00",
      "0000-01-01",
      "2026-1-31",
      "26-01-31",
      " 2026-01-31",
      "2026-01-31\n",
      "2026-01-31T00:00:00Z",
      "+002026-01-31",
      "٢٠٢٦-٠١-٣١",
      "today",
      [2_026],
    );
  });

  it("of type 5 are complete URLs", async () => {
    await takes(
      5,
      "https://example.com",
      "HTTP://localhost:8080/a?b=c#d",
      "ftp://files.example/x y".replace(" ", "%20"),
      "ftps://files.example",
      "https://münchen.example/ä",
      "http://[::1]/",
      `https://x.test/${"y".repeat(2_048 - 15)}`,
    );
    await refuses(
      5,
      "example.com",
      "//example.com",
      "/path",
      "https://",
      "https:///path",
      "ftps:///path",
      "https:example.com",
      "javascript:alert(1)",
      "javascript://example.com/%0aalert(1)",
      "data:text/html,x",
      "mailto:a@example.com",
      "https://a b.example",
      " https://example.com",
      "https://example.com\n",
      "https://example.com/a b",
      "https://example.com:99999",
      `https://x.test/${"y".repeat(2_049 - 15)}`,
      `https://${"x".repeat(900_000)}`,
      [1],
    );
  });

  it("of type 6 are active people of the organization", async () => {
    const there = await organization(db);
    const gone = await user(db, org.realm, { isActive: false });
    const robot = await bot(db, org.owner);
    await takes(6, [org.member.id], [org.guest.id, org.owner.id], [org.guest.id, org.guest.id]);
    for (const id of [gone.id, robot.id, org.notificationBot.id, there.member.id, 0, -1, 10 ** 12])
      await refuses(6, [org.member.id, id]);
    await refuses(6, `[${org.member.id}]`, `${org.member.id}`, "x");
    const many = Array<number>(maxProfileUsers).fill(org.member.id);
    await takes(6, many);
    await refuses(6, [...many, org.member.id]);
    await refuses(6, Array<number>(19_000).fill(org.member.id));
  });

  it("of type 6 keep deactivated people until they are changed", async () => {
    const leaver = await user(db, org.realm);
    await takes(6, [leaver.id]);
    await db.prisma.user.update({ where: { id: leaver.id }, data: { isActive: false } });
    const { profile_data } = await gateway.as(org.member).succeed(getOwnUser);
    expect(profile_data?.[fieldOf(6)]?.value).to.equal(`[${leaver.id}]`);
    await refuses(6, [leaver.id, org.owner.id]);
    await takes(6, [org.owner.id]);
  });

  it("are rendered as text, without mentions", async () => {
    const html = async (value: string) => {
      await ask(2, value);
      const { profile_data } = await gateway.as(org.member).succeed(getOwnUser);
      return profile_data?.[fieldOf(2)]?.rendered_value;
    };
    expect(await html("<script>x</script>")).to.equal("<p>&lt;script&gt;x&lt;/script&gt;</p>");
    expect(await html(`@**${org.owner.fullName}**`)).not.to.include("user-mention");
    expect(await html("[x](javascript:alert(1))")).not.to.include("href");
  });

  it("refuse megabytes", async () => {
    for (const type of [1, 2, 3, 4, 5, 6, 7, 8]) await refuses(type, "x".repeat(1_000_000));
    await refuses(2, "x".repeat(1_500_000));
  });
});
