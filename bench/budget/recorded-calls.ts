import { readdirSync, readFileSync } from 'node:fs';
import type { AgentConfiguration } from '../../engine/agent/agent-schema.ts';
import { parseTape, type Tape } from '../../engine/tape/tape-file.ts';

const CALLS = new URL('../../fixtures/calls/', import.meta.url);

export interface RecordedCall {
  readonly name: string;
  readonly agent: AgentConfiguration;
  readonly tape: Tape;
}

/** The calls of `fixtures/calls/`, by name. */
export function recordedCalls(): readonly RecordedCall[] {
  return readdirSync(CALLS).toSorted().map(recordedCall);
}

export function recordedCall(name: string): RecordedCall {
  const text = (file: string) => readFileSync(new URL(`${name}/${file}`, CALLS), 'utf8');
  return { name, agent: JSON.parse(text('agent.json')), tape: parseTape(text('tape.jsonl')) };
}
