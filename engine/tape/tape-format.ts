import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { CallParameters } from '../core/call-parameters.ts';
import type { InboxRecord } from '../core/event.ts';

/**
 * A tape is a folder that holds one call:
 *
 * - `agent.json`: the agent's configuration; in the place of a secret header's value stands a reference, `secret:N`;
 * - `tape.jsonl`: a `TapeHeader` on the first line, then one `TapeEntry` a line, in order of `seq`;
 * - `caller.wav`: the user's audio as the call received it, packet behind packet: a position in it is the `audioMs` of
 *   the entries;
 * - `voice.wav`: what the voice spoke, segment after segment in the order asked for, each as long as its `voice.done` or
 *   `voice.failed` tells; segments that were cancelled are left out;
 * - `expected.json`: a `CallOutcome`, what the call has left behind.
 *
 * The user's and the called number are masked: the same other digits stand wherever a number stood in the text files.
 * What was said aloud stays as it was said.
 *
 * A tape replays exactly (`exactReplay`): it holds what happened and what the rules ordered. And it re-simulates
 * (`reSimulate`): its user speaks again, its providers answer as they did, against the agent and the rules of today.
 */
export const TAPE_VERSION = 2;

export interface TapeHeader {
  readonly tape: typeof TAPE_VERSION;
  readonly parameters: CallParameters;
  /** What the call spoke on the wire; the format of `caller.wav` and `voice.wav`. */
  readonly format: AudioFormat;
}

export type TapeEntry = InboxRecord;
