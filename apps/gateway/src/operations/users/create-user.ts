import { createUser } from "@carillon/contract";
import { createMember } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(createUser, async ({ input, actor, services }) => {
  const { email, password, full_name: fullName } = input;
  const userId = await createMember(services.db, services.site, actor, {
    email,
    password,
    fullName,
  });
  return { user_id: userId };
});
