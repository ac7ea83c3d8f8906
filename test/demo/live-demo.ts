import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ApiClient } from '../service/rig/api-client.ts';
import { startServiceProcess, TEST_API_KEY } from '../service/rig/service-process.ts';
import { startAvailabilityServer } from './availability-server.ts';
import { type CallerReport, callerReportSchema } from './caller-report.ts';
import { checkDemo } from './demo-checks.ts';
import { createNarrator } from './narrator.ts';
import { createTerminal } from './terminal.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const TAPE_DIR = join(ROOT, 'fixtures/calls/booking');
export const OUTPUT = join(ROOT, 'demo-output');
/** Timeout of the call, which takes about 40 s. */
const CALL_TIMEOUT_MS = 70_000;
const FROM = '+33123456789';
const TO = '+33987654321';

/** Runs the whole demo over real SIP and RTP; returns whether the call had no faults. */
export async function liveDemo(): Promise<boolean> {
  const terminal = createTerminal();
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT, { recursive: true });
  let secret: string | null = null;
  const narrator = createNarrator(terminal);
  const functions = await startAvailabilityServer();
  const hooks = await startWebhookReceiver(
    () => secret,
    (event) => narrator.event(event),
  );
  const service = await startServiceProcess({
    TAPE_DIR,
    HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
    DATA_DIR: join(OUTPUT, 'data'),
    LOG_LEVEL: 'info',
  });
  try {
    terminal.plain(`Trunkline runs: API ${service.httpUrl}, SIP udp/tcp 127.0.0.1:${service.sipPort}`);
    const api = new ApiClient(service.httpUrl, TEST_API_KEY);
    const agent: unknown = JSON.parse(
      (await readFile(join(TAPE_DIR, 'agent.json'), 'utf8')).replaceAll('http://127.0.0.1:4010', functions.origin),
    );
    const { id } = await api.createAgent({
      ...z.record(z.string(), z.unknown()).parse(agent),
      name: 'Booking',
      record_tape: true,
      webhook_url: hooks.url,
      webhook_subscriptions: [
        'event_call_status_changed',
        'event_transcript_updated',
        'event_state_changed',
        'event_tool_called',
        'event_variable_value_updated',
        'event_all_variables_resolved',
        'event_call_ended',
      ],
    });
    const rotated = z.object({ secret: z.string() });
    secret = (await api.requestOk(rotated, 'POST', `/v1/agents/${id}/webhook-secret`)).secret;
    terminal.plain(`An agent of ${narrator.stateCount(agent)} states was created: ${id}`);
    const stagedAt = performance.now();
    const callId = await api.stage({ from_number: FROM, to_number: TO, agent_id: id });
    terminal.plain(`A call was staged in ${Math.round(performance.now() - stagedAt)} ms: ${callId}`);
    terminal.plain('A caller dials in by SIP and speaks over RTP …\n');
    const follow = narrator.followLatency(() => api.call(callId));
    const report = await runCaller(service.sipPort, callId);
    const call = await api.callIn(callId, ['completed', 'failed', 'canceled', 'no_answer', 'busy'], CALL_TIMEOUT_MS);
    await hooks.event('event_call_ended');
    follow.stop();
    await writeFile(join(OUTPUT, 'call.json'), `${JSON.stringify(call, null, 2)}\n`);
    await writeFile(join(OUTPUT, 'sip.txt'), `${report.ladder.join('\n')}\n`);
    await writeFile(join(OUTPUT, 'webhooks.jsonl'), hooks.events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await saveRecording(call.recording_url);
    await cp(join(OUTPUT, 'data/tapes', callId), join(OUTPUT, 'tape'), { recursive: true });
    const faults = await checkDemo({ call, report, hooks, asked: functions.asked(), output: OUTPUT });
    terminal.plain('');
    for (const fault of faults) terminal.line('bad', 'wrong', fault);
    terminal.plain(`The call is in ${OUTPUT}: call.json, recording.wav, webhooks.jsonl, sip.txt, tape/`);
    terminal.plain(faults.length === 0 ? 'The call went as it must.' : 'The call did not go as it must.');
    return faults.length === 0;
  } finally {
    await service.stop();
    await writeFile(join(OUTPUT, 'service.log'), service.output());
    await hooks.close();
    await functions.close();
  }
}

/** The caller is a separate process, which shares only the network with the service. */
async function runCaller(sipPort: number, callId: string): Promise<CallerReport> {
  const args = [
    ...['--target', `127.0.0.1:${sipPort}`, '--to', TO, '--from', FROM],
    ...['--header', `X-Service-Call-Id: ${callId}`, '--audio', join(TAPE_DIR, 'caller.wav')],
    ...['--record', join(OUTPUT, 'heard-by-caller.wav'), '--max-duration', String(CALL_TIMEOUT_MS)],
  ];
  const child = spawn(process.execPath, [join(ROOT, 'test/caller/main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done, fail) => child.on('close', done).on('error', fail));
  return callerReportSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
}

async function saveRecording(url: string | null): Promise<void> {
  if (url === null) return;
  const response = await fetch(url, { headers: { 'x-api-key': TEST_API_KEY } });
  if (response.ok) await writeFile(join(OUTPUT, 'recording.wav'), new Uint8Array(await response.arrayBuffer()));
}
