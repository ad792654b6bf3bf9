import { z } from "zod";

/** What a client logs in with from then on. */
export const apiKeyAnswer = {
  api_key: z.string(),
  /** The delivery address, as it is stored. */
  email: z.string(),
  user_id: z.int(),
};
