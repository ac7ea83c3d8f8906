/**
 * Names of the SIP statuses of refused INVITEs (RFC 3261 §21; Loop Detected: RFC 5393 §4.2). `calls/inbound/inbound-calls.ts`
 * chooses the status of each cause.
 */
export const UNAUTHORIZED = 401;
export const NOT_FOUND = 404;
export const TEMPORARILY_UNAVAILABLE = 480;
export const LOOP_DETECTED = 482;
/** At a limit of one party. Not 503, on which a carrier stops sending calls of all organizations (§21.5.4). */
export const BUSY_HERE = 486;
export const SERVER_ERROR = 500;
export const BAD_GATEWAY = 502;
export const SERVICE_UNAVAILABLE = 503;
