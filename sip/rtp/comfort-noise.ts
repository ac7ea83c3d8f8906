/**
 * Comfort noise (RFC 3389) has the static payload type 13 at 8 kHz. We never send it. One that comes means «silence from
 * here until the next audio packet»; its noise level and spectrum are not rendered.
 */
export const COMFORT_NOISE_PAYLOAD_TYPE = 13;
