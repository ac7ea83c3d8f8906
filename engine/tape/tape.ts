import type { CallFacts } from '../call/call-facts.ts';
import type { CallCommand } from '../call/command.ts';
import type { InboxEntry } from '../call/event.ts';
import type { AudioFormat } from '../ports/audio-format.ts';

/**
 * A tape is a folder that holds one call. Every tape has
 *
 * - `agent.json`: the agent's configuration; in the place of a secret header's value stands a reference, `secret:N`;
 * - `tape.jsonl`: a `TapeHeader` on the first line, then one `TapeEntry` a line, in order of `seq`. The caller's and the
 *   called number are masked: the same other digits stand wherever a number stood.
 *
 * That is all of the tape of a live call. It holds what happened and what the rules ordered, so it replays exactly (see
 * `exactReplay`); it holds no audio, so providers cannot be simulated from it. A recorded fixture can be re-simulated as
 * well: its providers answer anew, as they did, against the rules of today. It has besides
 *
 * - `caller.wav`: what the caller said, from the first packet on;
 * - `voice.wav`: what the voice spoke, segment after segment in the order asked for, each as long as its `voice.done`
 *   tells;
 * - `expected.json`: transcript, states, variables, tool calls and end, as the call left them.
 */
export const TAPE_VERSION = 1;

export interface TapeHeader {
  readonly tape: typeof TAPE_VERSION;
  readonly facts: CallFacts;
  /** What the call spoke on the wire; the format of `caller.wav` and `voice.wav`. */
  readonly format: AudioFormat;
}

export interface TapeEntry extends InboxEntry {
  /** What the rules ordered in answer, in order. */
  readonly commands: readonly CallCommand[];
}
