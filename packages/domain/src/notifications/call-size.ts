/** So many devices are pushed to by one call of the bouncer, and one account's at the least. */
export const devicesInCall = 200;

/** Of the devices of an account so many are pushed to, those registered last. */
export const devicesOfAccount = 100;

/** From the devices of so many accounts messages are removed by one call. */
export const accountsInRemoval = 100;

/** So many messages go off a device at once, the newest (push.md §9). */
export const mostRemoved = 200;
