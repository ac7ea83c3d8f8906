import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../sip/message/headers.ts';
import type { SipRequest } from '../../sip/message/sip-message.ts';
import { readSpeech } from '../rtp-peer/speech-file.ts';
import { type Codec, TalkingRtpPeer } from '../rtp-peer/talking-rtp-peer.ts';
import { makeTone, measureTone } from '../rtp-peer/tone.ts';
import { SipCallee } from '../sip-endpoint/sip-callee.ts';
import { call } from './caller.ts';

const CALLER_HZ = 440;
const AGENT_HZ = 1000;
let uas: SipCallee;
let agent: TalkingRtpPeer;

beforeEach(async () => {
  uas = await SipCallee.open();
  agent = await TalkingRtpPeer.open('127.0.0.1');
});

afterEach(() => {
  uas.close();
  agent.close();
});

/** Answers with `codec` and plays a tone; `whenSaid` may end the call. */
function answer(invite: SipRequest, codec: Codec, whenSaid: () => void = () => undefined): void {
  uas.respond(invite, 180, 'Ringing');
  expect(agent.take(new TextDecoder().decode(invite.body))).toBe(true);
  uas.respond(invite, 200, 'OK', agent.offer([codec]));
  agent.start(makeTone(AGENT_HZ, 600), whenSaid);
}

describe('the caller', () => {
  it.each(['pcmu', 'pcma'] as const)('sends and receives %s, and hangs up at the end of its audio', async (codec) => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') answer(request, codec);
      if (request.method === 'BYE') uas.respond(request, 200, 'OK');
    };
    const headers = { 'X-Service-Call-Id': 'abc' };
    const audio = makeTone(CALLER_HZ, 600);
    const report = await call({
      target: uas.hop,
      to: 'agent',
      headers,
      codecs: [codec],
      audio,
      hangUp: 'at_audio_end',
    });
    expect(report).toMatchObject({ statuses: [180, 200], endedBy: 'caller', recordedTo: null });
    expect(report.rtp).toMatchObject({ lost: 0, restarts: 0, payloadTypes: [codec === 'pcmu' ? 0 : 8] });
    expect(report.rtp.sent).toBeGreaterThanOrEqual(30);
    expect(uas.methods()).toEqual(['INVITE', 'ACK', 'BYE']);
    expect(getHeader(uas.requests[0]?.headers ?? [], 'x-service-call-id')).toBe('abc');
    expect(report.ringingMs).toBeLessThanOrEqual(report.answeredMs ?? 0);
    expect(report.endedMs - (report.answeredMs ?? 0)).toBeGreaterThanOrEqual(580);
    expect(report.ladder.map((line) => /([─<>]+) {2}(\w+)/.exec(line)?.slice(1).join(' '))).toEqual([
      '──> INVITE',
      '<── 180',
      '<── 200',
      '──> ACK',
      '──> BYE',
      '<── 200',
    ]);
    const heardByCaller = report.heard.subarray(800, 4000);
    expect(measureTone(heardByCaller, AGENT_HZ).share).toBeGreaterThan(0.95);
    expect(measureTone(heardByCaller, CALLER_HZ).share).toBeLessThan(0.01);
    const heardByAgent = agent.heard().subarray(800, 4000);
    expect(measureTone(heardByAgent, CALLER_HZ).share).toBeGreaterThan(0.95);
    expect(measureTone(heardByAgent, AGENT_HZ).share).toBeLessThan(0.01);
  });

  it("answers the callee's BYE and reports that the callee ended the call", async () => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') answer(request, 'pcmu', () => uas.request(request, 'BYE'));
    };
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-caller-'));
    try {
      const path = join(folder, 'heard.wav');
      const report = await call({ target: uas.hop, to: 'agent', recordTo: path });
      expect(report).toMatchObject({ endedBy: 'callee', recordedTo: path });
      expect(await readSpeech(path)).toEqual(report.heard);
      expect(report.heard.length).toBeGreaterThanOrEqual(29 * 160);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(uas.methods()).toEqual(['INVITE', 'ACK']);
  });

  it('sends each DTMF digit as one telephone event', async () => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') answer(request, 'pcmu');
      if (request.method === 'BYE') uas.respond(request, 200, 'OK');
    };
    await call({ target: uas.hop, to: 'agent', dtmf: [{ atMs: 40, digits: '1*#' }], hangUp: { afterMs: 750 } });
    expect(agent.report().dtmf).toBe('1*#');
    expect(agent.report().lost).toBe(0);
  });

  it('retransmits an INVITE until it is answered, and sends an ACK for each repeated 200', async () => {
    uas.close();
    uas = await SipCallee.open('127.0.0.1', 'each');
    uas.onRequest = (request) => {
      if (request.method === 'BYE') uas.respond(request, 200, 'OK');
      if (request.method !== 'INVITE' || uas.requests.length === 1) return;
      answer(request, 'pcmu');
      uas.respond(request, 200, 'OK', agent.offer(['pcmu']));
    };
    const report = await call({ target: uas.hop, to: 'agent', hangUp: { afterMs: 50 } });
    expect(report.statuses).toEqual([180, 200, 200]);
    expect(uas.methods()).toEqual(['INVITE', 'INVITE', 'ACK', 'ACK', 'BYE']);
  });

  it('acknowledges and reports a refusal, and sends no RTP', async () => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') uas.respond(request, 486, 'Busy Here');
    };
    const report = await call({ target: uas.hop, to: 'agent' });
    expect(report).toMatchObject({
      statuses: [486],
      endedBy: 'refused',
      answeredMs: null,
      rtp: { sent: 0, received: 0 },
    });
    expect(report.ladder.at(-1)).toContain('ACK');
  });

  it('cancels a call that only rings', async () => {
    let invite: SipRequest | null = null;
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') {
        invite = request;
        uas.respond(request, 180, 'Ringing');
      }
      if (request.method !== 'CANCEL' || invite === null) return;
      uas.respond(request, 200, 'OK');
      uas.respond(invite, 487, 'Request Terminated');
    };
    const report = await call({ target: uas.hop, to: 'agent', cancelAfterMs: 30 });
    expect(report).toMatchObject({ statuses: [180, 487], endedBy: 'cancelled', answeredMs: null });
    expect(uas.methods().slice(0, 2)).toEqual(['INVITE', 'CANCEL']);
  });

  it('sends BYE when the answer crosses its CANCEL', async () => {
    let invite: SipRequest | null = null;
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') {
        invite = request;
        uas.respond(request, 180, 'Ringing');
      }
      if (request.method === 'CANCEL' && invite !== null) {
        uas.respond(invite, 200, 'OK', agent.offer(['pcmu']));
        uas.respond(request, 200, 'OK');
      }
      if (request.method === 'BYE') uas.respond(request, 200, 'OK');
    };
    const report = await call({ target: uas.hop, to: 'agent', cancelAfterMs: 30 });
    expect(report).toMatchObject({ endedBy: 'cancelled', rtp: { sent: 0 } });
    expect(uas.methods()).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
  });

  it('calls over TCP on one connection', async () => {
    const streamed = await SipCallee.openTcp();
    try {
      streamed.onRequest = (request) => {
        if (request.method === 'INVITE') streamed.respond(request, 200, 'OK', agent.offer(['pcmu']));
        if (request.method === 'ACK' && streamed.requests[0]) streamed.request(streamed.requests[0], 'BYE');
      };
      const report = await call({ target: streamed.hop, to: 'agent', protocol: 'TCP' });
      expect(report).toMatchObject({ statuses: [200], endedBy: 'callee' });
      expect(streamed.methods()).toEqual(['INVITE', 'ACK']);
      expect(getHeader(streamed.requests[0]?.headers ?? [], 'Via')).toContain('SIP/2.0/TCP');
    } finally {
      streamed.close();
    }
  });

  it('rejects if no process listens on the port', async () => {
    // Not a recently closed port: the kernel can assign it to the caller, and the caller then reaches itself.
    const closedPort = { host: '127.0.0.1', port: 1 };
    await expect(call({ target: closedPort, to: 'agent', protocol: 'TCP' })).rejects.toThrow('ECONNREFUSED');
  });

  it('ends a call at its maximum duration', async () => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') answer(request, 'pcmu');
      if (request.method === 'BYE') uas.respond(request, 200, 'OK');
    };
    const report = await call({ target: uas.hop, to: 'agent', durationMsMax: 1_000 });
    expect(report.endedBy).toBe('caller');
  });
});

describe('a tone', () => {
  it('is measured by its level and its share of the energy', () => {
    const tone = makeTone(1000, 200, 4000);
    expect(measureTone(tone, 1000).level).toBeCloseTo(4000, -2);
    expect(measureTone(tone, 1000).share).toBeGreaterThan(0.999);
    expect(measureTone(tone, 1300).share).toBeLessThan(0.001);
  });

  it('is absent in silence and in empty audio', () => {
    expect(measureTone(new Int16Array(0), 1000)).toEqual({ level: 0, share: 0 });
    expect(measureTone(new Int16Array(160), 1000)).toEqual({ level: 0, share: 0 });
  });
});
