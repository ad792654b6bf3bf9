import { expect } from "chai";
import * as z from "zod";
import { ApiError } from "./api-error.ts";
import { decodeInput } from "./decode-input.ts";
import { form } from "./form.ts";
import { operation, type InputOf, type PathOf, type ResultOf } from "./operation.ts";
import { path } from "./path.ts";

const sample = operation({
  id: "edit-sample",
  method: "PATCH",
  path: "/api/v1/samples/{sample_id}",
  access: "account",
  params: {
    type: form.oneOf("direct", "channel"),
    topic: form.text().optional().alias("subject", "title"),
    limit: form.int({ min: 1, max: 10 }).default(5),
    loud: form.bool().default(false),
    folder_id: form.id().nullable().optional(),
    event_types: form.json(z.array(z.string())).optional().nullMeansAbsent(),
  },
  pathParams: { sample_id: path.int() },
  result: { sample_id: z.int(), note: z.string().optional() },
  errors: ["STREAM_DOES_NOT_EXIST"],
  summary: "Edit a sample",
});

function decode(given: Record<string, string>): InputOf<typeof sample> {
  return decodeInput(sample, new Map(Object.entries(given)));
}

function refusal(given: Record<string, string>): { code: string; fields: object; message: string } {
  try {
    decode(given);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("decodeInput", () => {
  it("gives every parameter its type, its default or undefined", () => {
    const input: {
      type: "direct" | "channel";
      topic: string | undefined;
      limit: number;
      loud: boolean;
      folder_id: number | null | undefined;
      event_types: string[] | undefined;
    } = decode({ type: "direct" });
    expect(input).to.deep.equal({
      type: "direct",
      topic: undefined,
      limit: 5,
      loud: false,
      folder_id: undefined,
      event_types: undefined,
    });
    const path: PathOf<typeof sample> = { sample_id: 3 };
    const result: ResultOf<typeof sample> = path;
    expect(result).to.have.property("sample_id", 3);
  });

  it("takes an alias for the parameter", () => {
    expect(decode({ type: "direct", subject: "lunch" }).topic).to.equal("lunch");
    expect(decode({ type: "direct", title: "" }).topic).to.equal("");
  });

  it("refuses two names of one parameter at once", () => {
    expect(refusal({ type: "direct", topic: "a", subject: "a" })).to.deep.include({
      code: "REQUEST_CONFUSING_VAR",
      fields: { var_name1: "topic", var_name2: "subject" },
    });
    expect(refusal({ type: "direct", title: "a", subject: "a" }).fields).to.deep.equal({
      var_name1: "subject",
      var_name2: "title",
    });
  });

  it("reports a required parameter that is absent by its own name", () => {
    expect(refusal({})).to.deep.include({
      code: "REQUEST_VARIABLE_MISSING",
      fields: { var_name: "type" },
    });
  });

  it("lets the first failing parameter in the documented order decide", () => {
    expect(refusal({ limit: "x" }).code).to.equal("REQUEST_VARIABLE_MISSING");
    expect(refusal({ type: "x", limit: "y" }).message).to.contain("type");
    expect(refusal({ loud: "x", limit: "y", type: "direct" }).message).to.contain("limit");
  });

  it("keeps an empty value apart from an absent one", () => {
    expect(decode({ type: "direct", topic: "" }).topic).to.equal("");
    expect(refusal({ type: "", limit: "1" }).code).to.equal("BAD_REQUEST");
  });

  it("takes null only where it is documented", () => {
    expect(decode({ type: "direct", folder_id: "null" }).folder_id).to.equal(null);
    expect(decode({ type: "direct", folder_id: " null\n" }).folder_id).to.equal(null);
    expect(decode({ type: "direct", event_types: "null" }).event_types).to.equal(undefined);
    expect(decode({ type: "direct", topic: "null" }).topic).to.equal("null");
    expect(refusal({ type: "direct", limit: "null" }).code).to.equal("BAD_REQUEST");
  });
});

describe("operation", () => {
  it("knows every supported name, aliases and client among them", () => {
    expect([...sample.supported].sort()).to.deep.equal([
      "client",
      "event_types",
      "folder_id",
      "limit",
      "loud",
      "subject",
      "title",
      "topic",
      "type",
    ]);
  });

  it("excludes names without effect, but decodes them", () => {
    const mail = operation({
      id: "x",
      method: "POST",
      path: "/x",
      access: "anyone",
      summary: "X",
      params: { to: form.text(), copies: form.int().alias("count").optional().ignored() },
    });
    expect([...mail.supported].sort()).to.deep.equal(["client", "to"]);
    const given = (copies: string) => new Map(Object.entries({ to: "ann", copies }));
    expect(decodeInput(mail, given("2"))).to.deep.equal({ to: "ann", copies: 2 });
    expect(() => decodeInput(mail, given("two"))).to.throw("copies must be an integer");
  });

  it("needs no parameters, results or errors", () => {
    const bare = operation({ id: "x", method: "GET", path: "/x", access: "anyone", summary: "X" });
    expect(decodeInput(bare, new Map())).to.deep.equal({});
    expect(bare.errors).to.deep.equal([]);
  });
});
