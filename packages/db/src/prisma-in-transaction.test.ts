import { expect } from "chai";
import { organization, useDatabase } from "@carillon/testkit";

describe("Prisma inside our transaction", () => {
  const db = useDatabase({ max: 3 });

  beforeEach(async () => {
    await db.rows("DELETE FROM counters");
  });

  const names = async () =>
    (await db.prisma.counter.findMany({ orderBy: { name: "asc" } })).map(({ name }) => name);

  it("sees what SQL wrote, and SQL sees what it wrote", async () => {
    await db.transaction(async (tx) => {
      await tx.rows("INSERT INTO counters (name) VALUES ('sql')");
      const prisma = await tx.prisma();
      expect(await prisma.counter.count()).to.equal(1);
      await prisma.counter.create({ data: { name: "prisma" } });
      expect(await tx.rows("SELECT name FROM counters ORDER BY name")).to.deep.equal([
        { name: "prisma" },
        { name: "sql" },
      ]);
      expect(await names()).to.deep.equal([]);
    });
    expect(await names()).to.deep.equal(["prisma", "sql"]);
  });

  it("is the same client for the whole transaction", async () => {
    await db.transaction(async (tx) => {
      expect(await tx.prisma()).to.equal(await tx.prisma());
    });
  });

  it("rolls back with the transaction", async () => {
    const failed = db.transaction(async (tx) => {
      await (await tx.prisma()).counter.create({ data: { name: "prisma" } });
      await tx.rows("INSERT INTO counters (name) VALUES ('sql')");
      throw new Error("no");
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal("no");
    expect(await names()).to.deep.equal([]);
  });

  it("rolls back to a savepoint", async () => {
    await db.transaction(async (tx) => {
      const prisma = await tx.prisma();
      await prisma.counter.create({ data: { name: "kept" } });
      const undone = tx.savepoint(async () => {
        await prisma.counter.create({ data: { name: "undone" } });
        await prisma.counter.create({ data: { name: "kept" } });
      });
      expect(await undone.catch((error: { code: string }) => error.code)).to.equal("P2002");
      await prisma.counter.create({ data: { name: "later" } });
    });
    expect(await names()).to.deep.equal(["kept", "later"]);
  });

  it("writes rows and their dependent rows in one call, and rolls them back together", async () => {
    const { realm } = await organization(db);
    const write = (fail: boolean) =>
      db.transaction(async (tx) => {
        const prisma = await tx.prisma();
        await prisma.realm.update({
          where: { id: realm.id },
          data: { name: "Renamed", channelFolders: { create: [{ name: "one" }, { name: "two" }] } },
        });
        expect(await prisma.channelFolder.count({ where: { realmId: realm.id } })).to.equal(2);
        if (fail) throw new Error("no");
      });
    const state = async () => {
      const found = await db.prisma.realm.findUniqueOrThrow({
        where: { id: realm.id },
        include: { channelFolders: true },
      });
      return { name: found.name, folders: found.channelFolders.length };
    };
    expect(await write(true).catch((error: Error) => error.message)).to.equal("no");
    expect(await state()).to.deep.equal({ name: realm.name, folders: 0 });
    await write(false);
    expect(await state()).to.deep.equal({ name: "Renamed", folders: 2 });
  });

  it("keeps parallel transactions apart", async () => {
    const one = async (name: string, fail: boolean) =>
      db
        .transaction(async (tx) => {
          const prisma = await tx.prisma();
          await prisma.counter.create({ data: { name } });
          const seen = await prisma.counter.findMany();
          expect(seen.map((row) => row.name)).to.include(name);
          if (fail) throw new Error("no");
        })
        .catch(() => {});
    await Promise.all(Array.from({ length: 12 }, (_, i) => one(`c${i}`, i % 2 === 1)));
    expect(await names()).to.have.members(["c0", "c2", "c4", "c6", "c8", "c10"]);
  });

  it("runs its statements one at a time even if they are requested together", async () => {
    await db.transaction(async (tx) => {
      const prisma = await tx.prisma();
      await Promise.all(
        Array.from({ length: 8 }, (_, i) => prisma.counter.create({ data: { name: `p${i}` } })),
      );
    });
    expect(await db.prisma.counter.count()).to.equal(8);
  });

  it("leaves no connection behind", async () => {
    for (let i = 0; i < 6; i++) {
      await db
        .transaction(async (tx) => {
          await (await tx.prisma()).counter.count();
          if (i % 2 === 0) throw new Error("no");
        })
        .catch(() => {});
    }
    expect(db.pool.totalCount - db.pool.idleCount).to.equal(0);
    expect(db.pool.totalCount).to.be.at.most(3);
  });
});
