/** Whether the organization, a row of `realms`, keeps accounts from its guests: the permission is given to everyone, or to members. */
export const restrictsGuests = `EXISTS (SELECT FROM named_user_group g
    WHERE g.id = realms.can_access_all_users_group_id AND g.name <> 'role:everyone')`;
