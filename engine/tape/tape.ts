import type { CallFacts } from '../call/call-facts.ts';
import type { CallCommand } from '../call/command.ts';
import type { InboxEntry } from '../call/event.ts';
import type { AudioFormat } from '../ports/audio-format.ts';

/**
 * A tape is a folder that holds one call whole:
 *
 * - `agent.json`: the agent's configuration, secrets replaced by `***`;
 * - `tape.jsonl`: a `TapeHeader` on the first line, then one `TapeEntry` a line, in order of `seq`;
 * - `caller.wav`: what the caller said, from the first packet on;
 * - `voice.wav`: what the voice spoke, segment after segment in the order asked for, each as long as its `voice.done`
 *   tells;
 * - `expected.json`: transcript, states, variables, tool calls and end, as the call left them.
 */
export const TAPE_VERSION = 1;

export interface TapeHeader {
  readonly tape: typeof TAPE_VERSION;
  readonly facts: CallFacts;
  /** Format of `caller.wav` and `voice.wav`. */
  readonly format: AudioFormat;
}

export interface TapeEntry extends InboxEntry {
  /** What the rules ordered in answer, in order. */
  readonly commands: readonly CallCommand[];
}
