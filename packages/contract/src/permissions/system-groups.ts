import { roles } from "../primitives/roles.ts";

export type SystemGroupName =
  | "role:nobody"
  | "role:owners"
  | "role:administrators"
  | "role:moderators"
  | "role:fullmembers"
  | "role:members"
  | "role:everyone"
  | "role:internet";

/** In the order of their creation (user-groups.md §2), each with its one direct subgroup. */
export const systemGroups: ReadonlyArray<{
  name: SystemGroupName;
  description: string;
  subgroup?: SystemGroupName;
}> = [
  { name: "role:nobody", description: "Nobody" },
  { name: "role:owners", description: "Owners of this organization" },
  {
    name: "role:administrators",
    description: "Administrators, owners included",
    subgroup: "role:owners",
  },
  {
    name: "role:moderators",
    description: "Moderators, administrators included",
    subgroup: "role:administrators",
  },
  {
    name: "role:fullmembers",
    description: "Members past the waiting period, moderators included",
    subgroup: "role:moderators",
  },
  { name: "role:members", description: "Everyone but guests", subgroup: "role:fullmembers" },
  { name: "role:everyone", description: "Everyone, guests included", subgroup: "role:members" },
  { name: "role:internet", description: "Everyone on the internet", subgroup: "role:everyone" },
];

/** The system group whose direct members are the accounts of a role. */
export const groupOfRole: Readonly<Record<number, SystemGroupName>> = {
  [roles.owner]: "role:owners",
  [roles.administrator]: "role:administrators",
  [roles.moderator]: "role:moderators",
  [roles.member]: "role:members",
  [roles.guest]: "role:everyone",
};
