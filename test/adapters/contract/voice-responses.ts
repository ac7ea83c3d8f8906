import type { VOICE_DEADLINES } from '../../../adapters/segmented-voice/segment-queue.ts';
import type { Refusal } from '../../providers/socket/refused-upgrade.ts';
import type { SpeakAnswer, SpeakBreak } from '../../providers/speech/speak-answer.ts';
import { SLOW_MS, SLOW_STALL_MS } from './slow-provider.ts';
import { CONTRACT_SEGMENT_BYTES, CONTRACT_TEXTS, type VoiceScenario } from './voice.ts';

/** Wide, so that a busy machine does not look like a slow provider. */
export const WIDE_DEADLINES = { firstAudioMs: 10_000, stallMs: 10_000 };
/** For tests of the deadlines themselves. */
const SHORT_DEADLINES = { firstAudioMs: 400, stallMs: 200 };

export function deadlinesFor(scenario: VoiceScenario): typeof VOICE_DEADLINES {
  if (['no_answer', 'no_first_byte', 'stalled'].includes(scenario)) return SHORT_DEADLINES;
  return scenario === 'slow' ? { ...WIDE_DEADLINES, stallMs: SLOW_STALL_MS } : WIDE_DEADLINES;
}

const BREAKS: Partial<Record<string, SpeakBreak>> = {
  closed: 'close',
  reset: 'reset',
  half_frame: 'half_frame',
  stalled: 'stall',
  no_first_byte: 'stall',
  malformed: 'malformed',
};

/** How the emulated provider speaks a text of the contract. An odd chunk length splits samples. */
export function contractAnswer(text: string, scenario: VoiceScenario): SpeakAnswer {
  const breakBy = BREAKS[scenario];
  const index = CONTRACT_TEXTS.indexOf(text);
  return {
    audio: Buffer.alloc(CONTRACT_SEGMENT_BYTES, index + 1),
    firstAudioMs: scenario === 'slow' && index === 0 ? SLOW_MS : 0,
    chunkBytes: 1_001,
    chunkMs: 1,
    doubled: scenario === 'doubled',
    ...(breakBy === undefined ? {} : { breakBy, breakAfterChunks: scenario === 'no_first_byte' ? 0 : 1 }),
  };
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  unauthorized: { status: 401 },
  rate_limited: { status: 429, headers: { 'Retry-After': '7' } },
  server_error: { status: 500 },
};

export function contractRefusal(scenario: VoiceScenario): Refusal | undefined {
  return REFUSALS[scenario];
}

/** Delay of the emulator's response to an upgrade, ms. */
export function contractOpenMs(scenario: VoiceScenario): number {
  return scenario === 'no_answer' ? Number.POSITIVE_INFINITY : 0;
}
