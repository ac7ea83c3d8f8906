import type { SilenceCause } from './silence.ts';

/** Time to the first sentence of a model that answers in a conversation. */
const MODEL_USUAL_MS = 700;
/** Time to the first audio of a streaming voice. */
const VOICE_USUAL_MS = 500;
/** The pause of a complete sentence and the usual delay of a transcriber's final words. */
const WORDS_USUAL_MS = 500;

/** Whether what was waited for took no longer than it usually does: it is a part of the silence, but no fault. */
export function isUsual(cause: SilenceCause): boolean {
  switch (cause.type) {
    case 'model_slow':
      return cause.firstTextMs !== null && cause.firstTextMs <= MODEL_USUAL_MS;
    case 'voice_slow':
      return cause.firstAudioMs <= VOICE_USUAL_MS;
    case 'transcriber_late':
      return cause.lateMs <= WORDS_USUAL_MS;
    default:
      return false;
  }
}
