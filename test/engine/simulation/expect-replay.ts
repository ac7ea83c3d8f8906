import { expect } from 'vitest';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import type { TapeHeader } from '../../../engine/tape/tape.ts';
import type { Simulation } from './simulate.ts';

export function headerOf({ facts, media }: Simulation): TapeHeader {
  return { tape: 1, facts, format: media.format };
}

/** The rules order the same again, command by command, of the call's tape as it would be read from a disk. */
export function expectReplay(call: Simulation): void {
  const entries = JSON.parse(JSON.stringify(call.tape));
  expect(exactReplay(call.compiled.agent, headerOf(call), entries)).toEqual({ ok: true, entries: call.tape.length });
}
