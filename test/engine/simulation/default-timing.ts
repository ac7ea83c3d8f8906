/** From the end of the user's speech to its final. */
export const FINAL_MS = 200;
/** From a model request to the complete response. */
export const MODEL_MS = 100;
/** From a segment's request to its first audio. */
export const VOICE_MS = 200;
/** Duration of each character's audio. */
export const CHARACTER_MS = 50;
/** From the end of the user's speech to the agent's first audio, when the final ends the turn. */
export const RESPONSE_MS = FINAL_MS + MODEL_MS + VOICE_MS;
/** From our hang-up request to the end of the leg. */
export const HANG_UP_MS = 20;
/** Near-end speech of this length pauses the agent at medium sensitivity. */
export const PAUSING_SPEECH_MS = 500;
/** A sound without words pauses the agent for at most this long. */
export const PAUSE_MS_MAX = 600;
