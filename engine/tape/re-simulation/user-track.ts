import type { CallEvent } from '../../core/event.ts';
import type { TapeEntry } from '../tape-format.ts';

/** Something that came from the user, or from outside the call, and how much of their audio had come by then. */
export interface UserCue {
  /** Since the answer, in µs; negative before it. */
  readonly offsetUs: number;
  readonly audioMs: number;
  /** Null: only the audio is due, for the transcriber has told something at this position. */
  readonly event: CallEvent | null;
}

/** The user's side of a tape: re-simulation plays it again, whatever the agent does. */
export interface UserTrack {
  /** The first event of the call. */
  readonly firstEvent: CallEvent;
  /** In order of time. */
  readonly cues: readonly UserCue[];
  /** From the first event to the answer, in µs; null where the call was not answered. */
  readonly answeredUs: number | null;
  /** How long the tape goes on after the answer, in µs. */
  readonly lastOffsetUs: number;
}

export function userTrack(entries: readonly TapeEntry[]): UserTrack {
  const answeredUs = entries.find(({ event }) => event.type === 'control.answered')?.atUs ?? null;
  const originUs = answeredUs ?? 0;
  const hungUpSeq = entries.find(({ commands }) => commands.some(({ type }) => type === 'call.hang_up'))?.seq;
  const cues = entries.flatMap(({ seq, event, atUs, audioMs = 0 }): UserCue[] => {
    const offsetUs = atUs - originUs;
    if (event.type.startsWith('transcriber.')) return [{ offsetUs, audioMs, event: null }];
    // What ends a call that the agent hung up is the answer to its order.
    const isAnswer = event.type === 'control.ended' && hungUpSeq !== undefined && seq > hungUpSeq;
    return seq > 0 && !isAnswer && comesFromOutside(event) ? [{ offsetUs, audioMs, event }] : [];
  });
  return {
    firstEvent: entries[0]?.event ?? { type: 'call.offered' },
    cues,
    answeredUs,
    lastOffsetUs: (entries.at(-1)?.atUs ?? 0) - originUs,
  };
}

/** Not the answer to an order of the rules: the user, the network, or an order of the API brings it about. */
function comesFromOutside({ type }: CallEvent): boolean {
  switch (type) {
    case 'media.segment_started':
    case 'media.segment_ended':
    case 'media.cleared':
    case 'media.paused':
    // The answer, the agent's own way to another party: the control of the simulation tells them.
    case 'control.answered':
    case 'control.transfer_succeeded':
    case 'control.transfer_failed':
      return false;
    default:
      return type.startsWith('media.') || type.startsWith('control.') || type.startsWith('call.');
  }
}

/**
 * How much of the user's audio has come at a time, from a tape's entries: between two of them it comes in real time, as
 * late as the second one allows; where they tell the same amount (silence that is not sent, a hold) none comes. After the
 * last one it goes on. Asked with times that rise.
 */
export class UserAudioClock {
  #next = 0;
  #known = { offsetUs: 0, audioMs: 0 };
  readonly #points: readonly { readonly offsetUs: number; readonly audioMs: number }[];

  constructor(entries: readonly TapeEntry[], answeredUs: number) {
    this.#points = entries.flatMap(({ atUs, audioMs }) =>
      audioMs === undefined ? [] : [{ offsetUs: atUs - answeredUs, audioMs }],
    );
  }

  audioMsAt(offsetUs: number): number {
    for (let point = this.#points[this.#next]; point !== undefined; point = this.#points[this.#next]) {
      if (point.offsetUs > offsetUs) {
        return Math.max(this.#known.audioMs, point.audioMs - (point.offsetUs - offsetUs) / 1000);
      }
      this.#known = point;
      this.#next++;
    }
    return this.#known.audioMs + Math.max(0, offsetUs - this.#known.offsetUs) / 1000;
  }
}
