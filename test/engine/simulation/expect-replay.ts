import { expect } from 'vitest';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import { TAPE_VERSION, type TapeHeader } from '../../../engine/tape/tape-format.ts';
import type { Simulation } from './simulate.ts';

export function headerOf({ parameters, media }: Simulation): TapeHeader {
  return { tape: TAPE_VERSION, parameters, format: media.format };
}

/** The rules order the same again, command by command, of the call's tape as it would be read from a disk. */
export function expectReplay(call: Simulation): void {
  const entries = JSON.parse(JSON.stringify(call.tape));
  expect(exactReplay(call.compiled.agent, headerOf(call), entries)).toEqual({ ok: true, entries: call.tape.length });
}
