import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { decodeWav } from '../../base/audio/wav.ts';
import { replayCommand } from '../../src/cli/commands/replay.ts';
import type { callSchema } from '../service/rig/api-client.ts';
import type { CallerReport } from './caller-report.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

export interface DemoOutcome {
  readonly call: z.output<typeof callSchema>;
  readonly report: CallerReport;
  readonly hooks: WebhookReceiver;
  readonly asked: readonly Readonly<Record<string, string>>[];
  readonly output: string;
}

/** Faults of the demo's call; empty if there are none. */
export async function checkDemo({ call, report, hooks, asked, output }: DemoOutcome): Promise<string[]> {
  const faults: string[] = [];
  const check = (holds: boolean, text: string) => {
    if (!holds) faults.push(text);
  };
  const entries = call.transcript ?? [];
  const states = entries.filter(({ role }) => role === 'state_transition').map(({ to }) => to);
  const values = new Map((call.variable_values ?? []).map(({ name, value }) => [name, value]));
  const agent = entries.filter(({ role }) => role === 'agent');

  check(call.status === 'completed', `status ${call.status}`);
  check(call.end_reason === 'agent_hangup', `end_reason ${call.end_reason}`);
  check(report.endedBy === 'callee', `the call was ended by ${report.endedBy}`);
  check(states.join() === 'booking,confirmation', `states ${states.join()}`);
  check(
    agent.filter((entry) => entry.interrupted === true).length === 1,
    'not exactly one line of the agent was interrupted',
  );
  check(asked.length === 1 && asked[0]?.guests === '4', `the function was asked ${JSON.stringify(asked)}`);
  check(values.get('party_size') === 4, `party_size is ${values.get('party_size')}`);
  check(values.get('guest_name') === 'Camille Moreau', `guest_name is ${values.get('guest_name')}`);
  check(agent.at(-1)?.content.endsWith('Goodbye!') === true, 'the goodbye was not heard');
  check(hooks.forged() === 0, 'a webhook was not signed right');
  const sequences = hooks.events.map(({ sequence }) => sequence);
  // Counts also events that the agent has not subscribed to.
  check(
    sequences.every((sequence, index) => sequence > (sequences[index - 1] ?? 0)),
    'webhooks came out of order',
  );
  let replayed = '';
  const status = await replayCommand([join(output, 'tape')], { write: (text) => (replayed += text) });
  check(status === 0, `the call's tape does not replay: ${replayed}`);
  faults.push(...(await recordingFaults(join(output, 'recording.wav'))));
  return faults;
}

/** Both voices check be in the recording: caller left, agent right. */
async function recordingFaults(path: string): Promise<string[]> {
  const wav = await readFile(path).catch(() => null);
  if (wav === null) return ['there is no recording'];
  const decoded = decodeWav(wav);
  if (decoded === null) return ['the recording is no WAV'];
  const { channels, data } = decoded;
  const samples = new Int16Array(data.buffer, data.byteOffset, data.byteLength >> 1);
  if (channels !== 2) return [`the recording has ${channels} channels`];
  return ['caller', 'agent'].flatMap((who, channel) => {
    let energy = 0;
    for (let index = channel; index < samples.length; index += 2) energy += (samples[index] ?? 0) ** 2;
    const rms = Math.sqrt(energy / (samples.length / 2));
    return rms > 100 ? [] : [`the ${who} cannot be heard in the recording (RMS ${Math.round(rms)})`];
  });
}
