import type { Transcriber, TranscriberTraits } from '../../engine/ports/transcriber.ts';
import {
  SocketTranscriberStream,
  TRANSCRIBER_DEADLINES,
  type TranscriberDeadlines,
} from '../socket-transcriber/socket-transcriber.ts';
import { fluxProtocol, isFlux } from './flux-listen.ts';
import { listenProtocol } from './nova-listen.ts';
import type { DeepgramAccess } from './socket.ts';

/** Published for nova-3, streaming: end of speech → final, 99th percentile. */
const LISTEN_TRAITS: TranscriberTraits = {
  detectsTurns: false,
  punctuates: true,
  wordEndSlackMs: 250,
  finalP99Ms: 326,
};
/**
 * No 99th percentile is published. This is our estimate: the published median for the end of a turn (260 ms) plus the
 * interval of updates (250 ms), which can delay a word.
 */
const FLUX_TRAITS: TranscriberTraits = { detectsTurns: true, configurable: true, finalP99Ms: 510 };

/** Deepgram as a transcriber: listen v2 for Flux models, listen v1 for all others. */
export function createDeepgramTranscriber(
  access: DeepgramAccess,
  deadlines: TranscriberDeadlines = TRANSCRIBER_DEADLINES,
): Transcriber {
  return {
    traitsOf: (model) => (isFlux(model) ? FLUX_TRAITS : LISTEN_TRAITS),
    open: (options, emit) => {
      const { model } = options;
      const protocol = isFlux(model) ? fluxProtocol(access, model, options) : listenProtocol(access, options);
      return new SocketTranscriberStream(protocol, deadlines, emit);
    },
  };
}
