import { audioLine, type LocalMedia, writeDescription } from './local-description.ts';

/** The payload type that most peers use for telephone-event themselves. */
const DTMF_PAYLOAD_TYPE = 101;

/** Our offer (RFC 3264 §5): one audio line, both laws of G.711 and telephone-event. */
export function makeOffer(local: LocalMedia): string {
  const speech = [[0, 'PCMU'] as const, [8, 'PCMA'] as const];
  return writeDescription(local, [audioLine(local.port, speech, DTMF_PAYLOAD_TYPE, 'sendrecv')]);
}
