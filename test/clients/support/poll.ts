import * as z from "zod";

/**
 * Parses polls as the phone app does: it fails on a message whose first submessage is not by its sender, or whose
 * content is not JSON, and ignores unknown data.
 */
const submessage = z.object({
  msg_type: z.string(),
  sender_id: z.int(),
  content: z.string(),
});

const pollWidget = z.object({
  widget_type: z.literal("poll"),
  extra_data: z.object({ question: z.string(), options: z.array(z.string()) }),
});

const pollData = z.discriminatedUnion("type", [
  z.object({ type: z.literal("new_option"), option: z.string(), idx: z.int() }),
  z.object({ type: z.literal("question"), question: z.string() }),
  z.object({ type: z.literal("vote"), key: z.string(), vote: z.literal([1, -1]) }),
]);

/** A poll with the ids of each option's voters. */
export interface Poll {
  question: string;
  readonly options: Array<{ readonly text: string; readonly voters: number[] }>;
}

/** Returns the state of a message's poll after all its submessages. */
export function pollOf(message: {
  readonly sender_id: unknown;
  readonly submessages: unknown;
}): Poll {
  const [first, ...rest] = z.array(submessage).parse(message.submessages);
  if (!first) throw new Error("the message has no submessage");
  if (first.sender_id !== message.sender_id || first.msg_type !== "widget")
    throw new Error("the first submessage is not the sender's widget");
  const { question, options } = pollWidget.parse(JSON.parse(first.content)).extra_data;
  const byKey = new Map(
    options.map((text, i) => [`canned,${i}`, { text, voters: [] as number[] }]),
  );
  const poll: Poll = { question, options: [...byKey.values()] };
  for (const { sender_id: id, content } of rest) {
    const data = pollData.parse(JSON.parse(content));
    if (data.type === "question") poll.question = data.question;
    else if (data.type === "new_option") {
      const option = { text: data.option, voters: [] };
      byKey.set(`${id},${data.idx}`, option);
      poll.options.push(option);
    } else {
      const voters = byKey.get(data.key)?.voters;
      if (voters && data.vote === 1) voters.push(id);
      else voters?.splice(voters.indexOf(id), 1);
    }
  }
  return poll;
}
