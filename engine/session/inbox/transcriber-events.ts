import type { CallEvent } from '../../core/event.ts';
import type { TranscribedWord, TranscriberEvent } from '../../ports/transcriber.ts';

/**
 * A transcriber event under its inbox name.
 *
 * @param shiftMs position in the call's audio at which the stream starts; inbox times count from the call's first sample
 */
export function transcriberCallEvent(
  event: TranscriberEvent,
  shiftMs: number,
): Extract<CallEvent, { readonly type: `transcriber.${string}` }> {
  switch (event.type) {
    case 'ready':
      return { type: 'transcriber.ready' };
    case 'interim':
      return { ...event, ...shiftedWords(event, shiftMs), ...spanOf(event, shiftMs), type: 'transcriber.interim' };
    case 'final':
      return {
        ...event,
        ...shiftedWords(event, shiftMs),
        ...spanOf(event, shiftMs),
        ...(event.coveredMs !== undefined && { coveredMs: event.coveredMs + shiftMs }),
        type: 'transcriber.final',
      };
    case 'utterance_end':
      return { type: 'transcriber.utterance_end', lastWordEndMs: event.lastWordEndMs + shiftMs };
    case 'turn':
      return { ...event, ...shiftedWords(event, shiftMs), ...spanOf(event, shiftMs), type: 'transcriber.turn' };
    case 'failed':
      return { ...event, type: 'transcriber.failed' };
  }
}

function shiftedWords({ words }: { readonly words?: readonly TranscribedWord[] }, shiftMs: number) {
  return words === undefined ? {} : { words: words.map((word) => ({ ...word, ...spanOf(word, shiftMs) })) };
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

function spanOf({ startMs, endMs }: Span, shiftMs: number): Span {
  return { startMs: startMs + shiftMs, endMs: endMs + shiftMs };
}
