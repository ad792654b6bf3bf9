import { expect } from "chai";

import { allBut, logged, queue, presented } from "./test-support.ts";

describe("events of reactions", () => {
  const fields = {
    message_id: 7,
    user_id: 3,
    emoji_name: "smile",
    emoji_code: "1f642",
    reaction_type: "unicode_emoji",
  };
  const reactor = { email: "mona@carillon.test", full_name: "Mona" };
  const program = queue({ needs: ["reaction_user"] });
  const unknown = { user_id: 3, email: "user3@carillon.test", full_name: "Unknown user" };

  for (const op of ["add", "remove"]) {
    const head = { type: "reaction", op };
    const row = logged({ ...head, payload: { ...fields, reactor } });

    it(`reaction/${op}: contains the user for programs that need it`, () => {
      const user = { user_id: 3, ...reactor };
      expect(presented(row, program)).to.deep.equal([{ ...head, ...fields, user }]);
    });

    it(`reaction/${op}: does not contain the user for other clients, whatever their capabilities`, () => {
      for (const options of [{}, { capabilities: allBut() }, { needs: [] }])
        expect(presented(row, queue(options))).to.deep.equal([{ ...head, ...fields }]);
    });

    it(`reaction/${op}: does not name a user whom the receiver cannot see`, () => {
      const userData = { 1: { unseen_reactor: true } };
      const hidden = logged({ ...head, payload: { ...fields, reactor }, userData });
      expect(presented(hidden, program)).to.deep.equal([{ ...head, ...fields, user: unknown }]);
      expect(presented(hidden, queue())).to.deep.equal([{ ...head, ...fields }]);
      const other = queue({ needs: ["reaction_user"] }, 2);
      expect(presented(hidden, other)[0]).to.deep.include({ user: { user_id: 3, ...reactor } });
    });

    it(`reaction/${op}: supports rows from before names were logged`, () => {
      const old = logged({ ...head, payload: fields });
      expect(presented(old, program)).to.deep.equal([{ ...head, ...fields, user: unknown }]);
      expect(presented(old, queue())).to.deep.equal([{ ...head, ...fields }]);
    });
  }
});
