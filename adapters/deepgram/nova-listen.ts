import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { TranscriberProtocol } from '../socket-transcriber/socket-transcriber.ts';
import { decodeListenMessage } from './nova-listen-message.ts';
import { novaListenQuery } from './nova-listen-query.ts';
import { ListenTimeline } from './nova-listen-timeline.ts';
import { CONNECTION, type DeepgramAccess, DeepgramSocket } from './socket.ts';

/** Deepgram's listen v1 (nova models): segments, with interim results. */
export function listenProtocol(access: DeepgramAccess, options: TranscriberOptions): TranscriberProtocol {
  const connection = { ...CONNECTION, ...novaListenQuery(options) };
  return {
    provider: 'deepgram',
    connect: (openMsMax, events) =>
      new DeepgramSocket(access, ({ listen }) => listen.v1.createConnection(connection), openMsMax, events),
    format: options.format,
    pieceMs: 0,
    whileIdle: { type: 'message', message: { type: 'KeepAlive' } },
    finalize: { type: 'Finalize' },
    closeMessage: { type: 'CloseStream' },
    reader: (sent) => {
      const timeline = new ListenTimeline(sent.writtenMs(0));
      return (text) => {
        const message = decodeListenMessage(text);
        switch (message.type) {
          case 'ignored':
            return [];
          case 'malformed':
            return [{ type: 'failed', error: malformed() }];
          case 'Error':
            return [{ type: 'failed', error: reported() }];
          default: {
            const event = timeline.eventOf(message);
            return event === undefined ? [] : [event];
          }
        }
      };
    },
  };
}

function malformed() {
  return providerFailure('deepgram', 'malformed', 'unexpected message on the listen socket');
}

function reported() {
  return providerFailure('deepgram', 'unavailable', 'the provider reported an error during the stream');
}
