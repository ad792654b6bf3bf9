/** So many devices are pushed to by one call of the bouncer; an account has at most half as many. */
export const devicesInCall = 200;

/** From the devices of so many accounts messages are removed by one call. */
export const accountsInRemoval = 100;

/** So many messages go off a device at once, the newest (push.md §9). */
export const mostRemoved = 200;
