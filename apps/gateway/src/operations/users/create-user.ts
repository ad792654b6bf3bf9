import { createUser } from "@carillon/contract";
import { createMember } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(createUser, async ({ input, actor, services }) => {
  const { email, password, full_name: fullName } = input;
  const userId = await createMember(services.db, services.site, actor, {
    email,
    password,
    fullName,
  });
  return { user_id: userId };
});
