/** The user has closed the dialog of the browser, or no passkey was found in time. */
export class PasskeyCancelled extends Error {}
