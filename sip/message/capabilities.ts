/** The methods that a peer may send us (RFC 3261 §20.5). */
export const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, NOTIFY';

export const ALLOWED_METHODS: ReadonlySet<string> = new Set(ALLOW.split(', '));

/** The extensions of RFC 3262 and RFC 4028. */
export const SUPPORTED = ['100rel', 'timer'];
