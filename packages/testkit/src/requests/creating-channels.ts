import { createChannel, type InputOf, listChannels } from "@carillon/contract";
import { expect } from "chai";
import type { TestAccount } from "../factories/account.ts";
import { changeOrganization } from "../factories/organization.ts";
import { unique } from "../factories/unique.ts";
import type { Scene } from "../scene.ts";
import { refused } from "./refusal.ts";

type Params = { [Name in keyof InputOf<typeof createChannel>]?: unknown };

/** Helpers for `POST /channels/create` in a scene, by its member by default. */
export function channelCreating(scene: Scene) {
  const create = (params: Params, by: TestAccount = scene.org.member) =>
    scene.as(by).call(createChannel, {
      params: { name: unique("room"), subscribers: [], ...params },
    });
  /** The channel object for the viewer. */
  const channelAs = async (viewer: TestAccount, id: number) => {
    const { streams } = await scene.as(viewer).succeed(listChannels, {
      params: { include_all: true },
    });
    const found = streams.find((channel) => channel.stream_id === id);
    if (!found) throw new Error(`${viewer.fullName} does not see channel ${id}`);
    return found;
  };
  /** Creates a channel and expects success; returns its object for an administrator. */
  const created = async (params: Params = {}, by?: TestAccount) => {
    const { body } = await create(params, by);
    expect(body.result, body.msg).to.equal("success");
    return channelAs(scene.org.admin, body.id);
  };
  const refuses = (
    params: Params,
    by?: TestAccount,
    { status, code }: { status?: number; code?: string } = {},
  ) => refused(scene.db, () => create(params, by), code, undefined, status);
  return { create, created, channelAs, refuses };
}

type RealmRow = Parameters<typeof changeOrganization>[2];

/** Runs the work while the scene's organization has these properties. */
export async function withOrganization(
  { db, org }: Scene,
  row: RealmRow,
  work: () => Promise<unknown>,
): Promise<void> {
  const current = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
  await changeOrganization(db, org.realm, row);
  try {
    await work();
  } finally {
    const old = Object.keys(row).map((name) => [name, Reflect.get(current, name)]);
    await changeOrganization(db, org.realm, Object.fromEntries(old) as RealmRow);
  }
}
