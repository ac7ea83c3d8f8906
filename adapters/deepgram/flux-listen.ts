import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { TranscriberProtocol } from '../socket-transcriber/socket-transcriber.ts';
import { FluxConfiguration } from './flux-listen-configuration.ts';
import { decodeFluxMessage } from './flux-listen-message.ts';
import { fluxListenQuery } from './flux-listen-query.ts';
import { FluxListenTurns } from './flux-listen-turns.ts';
import { CONNECTION, type DeepgramAccess, DeepgramSocket } from './socket.ts';

/**
 * The audio that the model processes in one step; shorter pieces only add cost
 * (https://developers.deepgram.com/docs/flux/quickstart).
 */
const PIECE_MS = 80;

export function isFlux(model: string | undefined): model is string {
  return model?.startsWith('flux-') ?? false;
}

/** Deepgram's listen v2 (Flux models): whole turns, with provider turn detection. It has no KeepAlive. */
export function fluxProtocol(access: DeepgramAccess, model: string, options: TranscriberOptions): TranscriberProtocol {
  const configuration = new FluxConfiguration(options.eotThreshold);
  const connection = { ...CONNECTION, ...fluxListenQuery(model, options) };
  return {
    provider: 'deepgram',
    connect: (openMsMax, events) =>
      new DeepgramSocket(access, ({ listen }) => listen.v2.createConnection(connection), openMsMax, events),
    format: options.format,
    pieceMs: PIECE_MS,
    whileIdle: { type: 'silence' },
    // The provider ignores this message outside a turn.
    finalize: { type: 'ForceEndTurn' },
    closeMessage: { type: 'CloseStream' },
    configure: (change) => configuration.request(change),
    reader: (sent, send) => {
      configuration.opened(send);
      const turns = new FluxListenTurns(sent);
      return (text) => {
        const message = decodeFluxMessage(text);
        switch (message.type) {
          case 'ignored':
            return [];
          case 'malformed':
            return [{ type: 'failed', error: malformed() }];
          case 'Error':
            return [{ type: 'failed', error: reported() }];
          case 'ConfigureSuccess':
          case 'ConfigureFailure':
            configuration.answered();
            return [];
          case 'TurnInfo':
            return turns.eventsOf(message);
        }
      };
    },
  };
}

function malformed() {
  return providerFailure('deepgram', 'malformed', 'unexpected message on the Flux socket');
}

function reported() {
  return providerFailure('deepgram', 'unavailable', 'the provider reported an error during the stream');
}
