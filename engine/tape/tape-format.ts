import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { InboxRecord } from '../core/event.ts';
import type { CallParameters } from '../core/state/call-parameters.ts';

/**
 * A tape is a folder that holds one call:
 *
 * - `agent.json`: the agent's configuration; values of secret headers are replaced by references, `secret:N`;
 * - `tape.jsonl`: a `TapeHeader` on the first line, then one `TapeEntry` a line, in order of `seq`;
 * - `caller.wav`: the received user audio, packet after packet; `audioMs` of an entry is a position in it;
 * - `voice.wav`: the audio of the voice, segment after segment in the order of the requests; each segment lasts as long as
 *   its `voice.done` or `voice.failed` states; cancelled segments are left out;
 * - `expected.json`: a `CallOutcome`, the result of the call.
 *
 * From the first recording pause on, events are masked and commands are those that the rules give for the masked events: in the pause all words, digits and
 * audio, after it what may repeat them.
 *
 * Both phone numbers are masked: each is replaced by one other number in all text files. Spoken numbers are masked only with `redaction`.
 *
 * Older tapes hold `transcriber.speech` events, and a `confidence` of words, which no rule reads. Events without a rule change nothing.
 *
 * There are two ways to run a tape. An exact replay (`exactReplay`) feeds the recorded events to the rules and compares
 * the commands, without `log` commands. A re-simulation (`reSimulate`) runs the current agent and rules against the recorded user and the recorded
 * provider responses.
 */
export const TAPE_VERSION = 3;

export interface TapeHeader {
  readonly tape: typeof TAPE_VERSION;
  readonly parameters: CallParameters;
  /** Audio format on the wire, of `caller.wav` and of `voice.wav`. */
  readonly format: AudioFormat;
}

export type TapeEntry = InboxRecord;
