import type { CallEvent } from '../../core/event.ts';
import type { TapeEntry } from '../tape-format.ts';

/** A recorded event of the user, the network or the API, with the amount of user audio received by then. */
export interface UserCue {
  /** Time since the answer, in µs; negative before it. */
  readonly offsetUs: number;
  readonly audioMs: number;
  /** Null: only the audio is due, since the transcriber sent an event at this position. */
  readonly event: CallEvent | null;
}

/** The user's side of a tape. Re-simulation repeats it regardless of the agent. */
export interface UserTrack {
  /** The first event of the call. */
  readonly firstEvent: CallEvent;
  /** Ordered by time. */
  readonly cues: readonly UserCue[];
  /** Engine time of the answer, in µs; null if the call was not answered. */
  readonly answeredUs: number | null;
  /** Duration of the tape after the answer, in µs. */
  readonly lastOffsetUs: number;
}

export function userTrack(entries: readonly TapeEntry[]): UserTrack {
  const answeredUs = entries.find(({ event }) => event.type === 'control.answered')?.atUs ?? null;
  const originUs = answeredUs ?? 0;
  const hungUpSeq = entries.find(({ commands }) => commands.some(({ type }) => type === 'call.hang_up'))?.seq;
  const cues = entries.flatMap(({ seq, event, atUs, audioMs = 0 }): UserCue[] => {
    const offsetUs = atUs - originUs;
    if (event.type.startsWith('transcriber.')) return [{ offsetUs, audioMs, event: null }];
    // After a hang-up of the agent, `control.ended` is its result.
    const isHangUpResult = event.type === 'control.ended' && hungUpSeq !== undefined && seq > hungUpSeq;
    return seq > 0 && !isHangUpResult && comesFromOutside(event) ? [{ offsetUs, audioMs, event }] : [];
  });
  return {
    firstEvent: entries[0]?.event ?? { type: 'call.offered' },
    cues,
    answeredUs,
    lastOffsetUs: (entries.at(-1)?.atUs ?? 0) - originUs,
  };
}

/** Whether the user, the network or the API causes the event, and not a command of the rules. */
function comesFromOutside({ type }: CallEvent): boolean {
  switch (type) {
    case 'media.segment_started':
    case 'media.segment_ended':
    case 'media.cleared':
    case 'media.paused':
    case 'media.resumed':
    // Results of the answer and of transfers: `createTapeControl` emits them.
    case 'control.answered':
    case 'control.transfer_succeeded':
    case 'control.transfer_failed':
      return false;
    default:
      return type.startsWith('media.') || type.startsWith('control.') || type.startsWith('call.');
  }
}

/**
 * The amount of user audio at a time, from a tape's entries. Between two entries the audio arrives in real time, as late as
 * the second entry allows. Between entries with equal amounts (silence suppression, on hold) none arrives. After the last
 * entry it continues in real time.
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

  /** @param offsetUs must not decrease from call to call */
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
