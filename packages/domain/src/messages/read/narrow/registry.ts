import { channel } from "./channel.ts";
import { channels } from "./channels.ts";
import { dmWith, groupDmWith } from "./dm-with.ts";
import { dm } from "./dm.ts";
import { has } from "./has.ts";
import { id } from "./id.ts";
import { inView } from "./in.ts";
import { is } from "./is.ts";
import { mentions } from "./mentions.ts";
import { near } from "./near.ts";
import type { NarrowOperator } from "./operator.ts";
import { search } from "./search.ts";
import { sender } from "./sender.ts";
import { topic } from "./topic.ts";

/** Every operator of a narrow but `with`, which is replaced by others before they are asked. */
const operators: readonly NarrowOperator[] = [
  channel,
  channels,
  topic,
  dm,
  dmWith,
  groupDmWith,
  sender,
  mentions,
  id,
  near,
  is,
  inView,
  has,
  search,
];

const byName = new Map(
  operators.flatMap((operator) => operator.names.map((name) => [name, operator] as const)),
);

/** The operator of this name, exactly as written: operators are lower case. */
export function findOperator(name: string): NarrowOperator | undefined {
  return byName.get(name);
}
