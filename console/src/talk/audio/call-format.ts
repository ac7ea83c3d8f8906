/** Audio of a web call in both directions: 16-bit samples, mono, this rate, one frame of 20 ms a message. */
export const CALL_HZ = 16_000;
export const FRAME_SAMPLES = 320;
