import type { AgentConfiguration } from '../agent/agent-schema.ts';

/**
 * How much speech pauses playback, and confirms an interruption with words. A shorter sound only ducks the voice, unless
 * a word that may interrupt arrives while it lasts. Silence rejects the interruption. Speech of `goesOnMs` is no murmur
 * where the transcriber reports its words only afterwards. All times are those of `media.speech_lasted`.
 */
export const SENSITIVITY = {
  high: { speechMs: 200, goesOnMs: 500, words: 1, backchannels: true },
  medium: { speechMs: 500, goesOnMs: 800, words: 1, backchannels: false },
  low: { speechMs: 800, goesOnMs: 800, words: 3, backchannels: false },
} as const satisfies Record<AgentConfiguration['interruptions_sensitivity'], unknown>;
