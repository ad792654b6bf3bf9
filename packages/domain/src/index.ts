export * from "./permissions/memberships.ts";
export * from "./permissions/registry.ts";
export * from "./realms/realm.ts";
export * from "./users/account.ts";
export * from "./site.ts";
export * from "./users/secrets.ts";
