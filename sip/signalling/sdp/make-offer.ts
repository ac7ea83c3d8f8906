import { type MediaLine, readMediaLines } from './description.ts';
import { audioLine, type LocalMedia, refusedLine, writeDescription } from './local-description.ts';

/** The payload type that most peers use for telephone-event themselves. */
const DTMF_PAYLOAD_TYPE = 101;

/**
 * Our offer (RFC 3264 §5): one audio line, both laws of G.711 and telephone-event, to send and to receive. One within a
 * call offers all of that again, whatever the peer's hold has left of it (RFC 3261 §14.2, RFC 6337 §5.3), keeps every
 * m= line in its place (RFC 3264 §8), and telephone-event under the number that it has (RFC 3264 §8.3.2).
 */
export function makeOffer(local: LocalMedia): string {
  const before = local.previous === null ? [] : (readMediaLines(local.previous) ?? []);
  const place = before.findIndex(({ port }) => port !== 0);
  const audio = ourLine(local.port, before[place] ?? null);
  if (place < 0) return writeDescription(local, [audio]);
  return writeDescription(
    local,
    before.map((line, index) => (index === place ? audio : refusedLine(line))),
  );
}

function ourLine(port: number, before: MediaLine | null) {
  const speech = [[0, 'PCMU'] as const, [8, 'PCMA'] as const];
  const used = before?.formats.find((format) => before.encodings.get(format)?.name === 'telephone-event');
  return audioLine(port, speech, used === undefined ? DTMF_PAYLOAD_TYPE : Number(used), 'sendrecv');
}
