import { z } from "zod";
import { mostAlertWords } from "../bounds.ts";
import { form } from "../form.ts";

/** The words of a request. */
export const wordsParameter = form.json(z.array(z.string()), { most: mostAlertWords });

/** All words of the account. */
export const wordsResult = { alert_words: z.array(z.string()) };
