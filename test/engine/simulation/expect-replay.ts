import { expect } from 'vitest';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import { TAPE_VERSION, type TapeHeader } from '../../../engine/tape/tape-format.ts';
import type { Simulation } from './simulation.ts';

export function tapeHeaderOf({ parameters, media }: Simulation): TapeHeader {
  return { tape: TAPE_VERSION, parameters, format: media.format };
}

/** The engine issues the recorded commands again when it replays the call's tape, as read from a file. */
export function expectReplay(call: Simulation): void {
  const entries = JSON.parse(JSON.stringify(call.tape));
  expect(exactReplay(call.compiled.agent, tapeHeaderOf(call), entries)).toEqual({
    ok: true,
    entries: call.tape.length,
  });
}
