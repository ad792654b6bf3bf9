import type { Database } from "@carillon/db";
import { readAudit } from "@carillon/domain";
import type { Context } from "koa";
import { answer } from "./answer.ts";
import { givenWhole } from "../http/parameters.ts";
import { auditPage } from "../pages/audit.ts";
import { findAccountIds } from "../places/accounts.ts";
import { findOrganizationId } from "../places/organization.ts";
import { readAuditQuery } from "../audit/request.ts";

const pageSize = 50;

/** `GET /audit`. */
export async function showAudit(ctx: Context, db: Database): Promise<void> {
  const fields = new URLSearchParams(ctx.querystring);
  const query = readAuditQuery(fields);
  // The id below which the page begins.
  const before = givenWhole(fields, "before");
  const { organization, account, ...rest } = query;
  const realmId =
    organization === undefined ? undefined : await findOrganizationId(db, organization);
  const userIds = account === undefined ? undefined : await findAccountIds(db, account, realmId);
  const filter = {
    ...rest,
    ...(realmId === undefined ? {} : { realmId }),
    ...(userIds === undefined ? {} : { userIds }),
  };
  const page = await readAudit(db, filter, {
    limit: pageSize,
    ...(before === undefined ? {} : { before }),
  });
  answer(ctx, { ...page, filter: query }, (shown) => auditPage(shown, ctx.state["asOf"] as number));
}
