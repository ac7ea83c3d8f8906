import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { type CallReport, call } from '../../caller/caller.ts';
import { toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { seededRandom } from '../../seeded-random.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { FINAL_STATUSES } from '../rig/api-client.ts';
import { sqliteStore } from '../rig/call-store.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { deskDoes } from '../rig/transfer-target.ts';

/** `HOST_KILLS=50` kills more hosts. */
const KILLS = Number(process.env.HOST_KILLS ?? '3');
const HOSTS = 3;
/** A host loads in 1.5 s of CPU time, which takes far longer on a busy machine. */
const REPLACED_MS = 90_000;
const CALLERS = 4;
/** Repeats the moments of a run, as exactly as the machine can. */
const SEED = Number(process.env.HOST_KILLS_SEED ?? '1');
const MOVED = '+33155555501';
const DESK = '+33155555502';
const started = z.looseObject({ host: z.number(), pid: z.number() });
const withId = z.looseObject({ id: z.string() });

describe('call hosts that are killed at random moments', () => {
  const random = seededRandom(SEED);
  let providers: EmulatedProviders;
  let test: TestService;
  let desk: SipCallee;
  let rtp: TalkingRtpPeer;
  let agents: readonly string[];

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('The desk please.', 200, 600) },
      chat: () => toolCallsAnswer([{ id: 'call_1', name: 'desk', arguments: '{}' }]),
    });
    test = await startTestService({ ...providers.environment, CALL_HOSTS: String(HOSTS), RING_TIMEOUT_SECONDS: '5' });
    desk = await SipCallee.open();
    rtp = await TalkingRtpPeer.open('127.0.0.1');
    const options = { termination_uri: `127.0.0.1:${desk.hop.port}`, transport: 'udp' };
    const trunk = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', { name: 'Carrier', ...options });
    const redirect = { redirect: true, redirect_phone_number: DESK, redirect_mode: 'bridge' };
    for (const [number, more] of [
      [FROM, {}],
      [TO, {}],
      [MOVED, redirect],
    ] as const) {
      await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', {
        number,
        name: 'Ours',
        trunk_id: trunk.id,
        ...more,
      });
    }
    const tools = [{ type: 'transfer_call', name: 'desk', destination: DESK, mode: 'bridge', ring_timeout: 5 }];
    const talks = await test.api.createAgent(talker({ recording: true, states: [{ name: 'talk' }] }));
    const states = [{ name: 'talk', prompt: 'Talk.', tools }];
    const transfers = await test.api.createAgent(talker({ recording: true, initial_message: '', states }));
    agents = [talks.id, transfers.id];
    deskDoes(desk, (invite) => {
      rtp.take(Buffer.from(invite.body).toString());
      desk.respond(invite, 180, 'Ringing');
      setTimeout(() => desk.respond(invite, 200, 'OK', rtp.offer(['pcmu'])), 200);
    });
  });
  afterAll(async () => {
    desk?.close();
    rtp?.close();
    await test?.close();
    await providers?.close();
  });

  /** The process ids of the hosts, by their number. */
  function pids(): ReadonlyMap<number, number> {
    const lines = test
      .log()
      .split('\n')
      .filter((line) => line.includes('"call host started"'));
    return new Map(lines.map((line) => started.parse(JSON.parse(line))).map(({ host, pid }) => [host, pid]));
  }

  /** One call after the other, of every kind, until `isOver`. */
  async function callOn(isOver: () => boolean, reports: CallReport[]): Promise<void> {
    while (!isOver()) {
      const agent_id = agents[Math.floor(random() * agents.length)];
      const isRedirected = random() < 0.3;
      const callId = isRedirected ? null : await test.api.stage({ from_number: FROM, to_number: TO, agent_id });
      const report = await call({
        target: { host: '127.0.0.1', port: test.sipPort },
        to: isRedirected ? MOVED : TO,
        from: FROM,
        headers: callId === null ? {} : { 'X-Service-Call-Id': callId },
        hangUp: { afterMs: 500 + random() * 2_500 },
        durationMsMax: 60_000,
      });
      reports.push(report);
      // A call that was refused while no host had room waits for another INVITE.
      if (report.answeredMs === null && callId !== null) await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    }
  }

  it(
    'end each of their calls once: every leg gets its end, and no other call loses a packet',
    async () => {
      const reports: CallReport[] = [];
      let isOver = false;
      const callers = Array.from({ length: CALLERS }, () => callOn(() => isOver, reports));
      for (let kills = 0; kills < KILLS; kills++) {
        await pause(300 + random() * 2_000);
        const hosts = [...pids()];
        const [host, pid] = hosts[Math.floor(random() * hosts.length)] ?? [0, 0];
        process.kill(pid, random() < 0.2 ? 'SIGSTOP' : 'SIGKILL');
        await eventually(() => expect(pids().get(host)).not.toBe(pid), REPLACED_MS);
      }
      isOver = true;
      await Promise.all(callers);
      await eventually(() => expect(test.service.liveCalls()).toBe(0));
      await checkStored();
      checkLegs(reports);
      await eventually(checkDesk);
      await eventually(async () => expect((await test.service.media.statistics()).sessions).toBe(0));
    },
    60_000 + KILLS * 20_000,
  );

  /** Each call has a final status and one event of its end. */
  async function checkStored(): Promise<void> {
    const { calls, events } = await sqliteStore(test.dataDir).read();
    expect(calls.length).toBeGreaterThan(CALLERS);
    expect(calls.filter(({ status }) => !FINAL_STATUSES.includes(status))).toEqual([]);
    const ends = events.filter(({ type }) => type === 'event_call_ended').map(({ call_id }) => call_id);
    expect(new Set(ends).size).toBe(ends.length);
    for (const one of calls.filter(({ status }) => status === 'completed')) {
      const { end_reason, transcript } = await test.api.call(one.id);
      expect([one.id, transcript === null, end_reason]).toEqual([one.id, false, one.end_reason]);
    }
  }

  function checkLegs(reports: readonly CallReport[]): void {
    for (const { answeredMs, endedBy, ladder, rtp: heard } of reports) {
      const text = ladder.join('\n');
      expect(['caller', 'callee', 'refused'], text).toContain(endedBy);
      // Over UDP a message may come twice.
      expect(new Set(text.match(/<── {2}BYE .*/g)).size, text).toBeLessThanOrEqual(1);
      // Calls of other hosts lost no packet.
      if (answeredMs !== null && endedBy === 'caller') expect(heard.lost, text).toBe(0);
    }
  }

  /** Each dialog with the desk got one BYE. */
  function checkDesk(): void {
    const of = (method: string) =>
      desk.requests.filter((one) => one.method === method).map(({ headers }) => getHeader(headers, 'Call-ID'));
    const ended = of('BYE');
    expect(of('ACK').filter((id) => !ended.includes(id))).toEqual([]);
    expect(new Set(ended).size).toBe(ended.length);
  }
});
