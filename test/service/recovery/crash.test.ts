import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { freeSipPort } from '../../peers/sip-port.ts';
import { DATABASES } from '../../postgres/databases.ts';
import { toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

describe.each(DATABASES)('a service on %s with a call in progress', (_, settings) => {
  const running: ServiceProcess[] = [];
  let providers: EmulatedProviders | null = null;

  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill();
    await providers?.close();
  });

  it.each([
    ['SIGINT', 1],
    ['SIGINT of the terminal, which npm passes on as well,', 2],
  ])('ends the call as shutdown and exits with 0 on a %s', async (_, signals) => {
    providers = await startEmulatedProviders();
    const service = await startServiceProcess({
      ...providers.environment,
      ...(await settings()),
      RTP_PORTS: '30000-30999',
    });
    running.push(service);
    const agent = await service.api.createAgent(talker());
    const { report } = await dialIn(service, agent.id);
    const exited = once(service.child, 'exit');
    service.child.kill('SIGINT');
    if (signals > 1) {
      await eventually(() => expect(service.output()).toContain('service stop requested'));
      service.child.kill('SIGINT');
    }
    expect((await report).endedBy).toBe('callee');
    expect(await exited).toEqual([0, null]);
  });
});

/** The legs of a call whose dialog is stored, so that another process can end them. */
function storedDialogs(dataDir: string, callId: string) {
  const database = new DatabaseSync(join(dataDir, 'trunkline.db'), { readOnly: true });
  const row = database.prepare('select dialog_json, bridged_dialog_json from calls where id = ?').get(callId);
  database.close();
  return { near: row?.dialog_json !== null, far: row?.bridged_dialog_json !== null };
}

describe('a process killed during a bridge', () => {
  const running: ServiceProcess[] = [];
  let providers: EmulatedProviders | null = null;

  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill();
    await providers?.close();
  });

  it('ends both legs of the bridge with a BYE after the next start', async () => {
    const desk = await SipCallee.open();
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    desk.onRequest = (request) => {
      if (request.method === 'INVITE') {
        rtp.take(Buffer.from(request.body).toString());
        desk.respond(request, 200, 'OK', rtp.offer(['pcmu']));
      } else if (request.method !== 'ACK') desk.respond(request, 200, 'OK');
    };
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('The desk please.', 100, 400) },
      chat: () => toolCallsAnswer([{ id: 'call_1', name: 'desk', arguments: '{}' }]),
    });
    const environment = {
      ...providers.environment,
      SIP_PORT: String(await freeSipPort()),
      SIP_ALLOW_ADDRESSES: '127.0.0.1/32',
      RTP_PORTS: '30000-30999',
    };
    const first = await startServiceProcess(environment);
    running.push(first);
    const destination = `sip:desk@127.0.0.1:${desk.hop.port}`;
    const tools = [{ type: 'transfer_call', name: 'desk', destination, mode: 'bridge' }];
    const states = [{ name: 'talk', prompt: 'Talk.', tools }];
    const agent = await first.api.createAgent(talker({ initial_message: '', states }));
    const { callId, report } = await dialIn(first, agent.id);
    await eventually(() => expect(storedDialogs(first.dataDir, callId)).toEqual({ near: true, far: true }));
    expect(desk.methods()).toContain('ACK');
    await first.kill();
    expect(desk.methods()).not.toContain('BYE');

    const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
    running.push(second);
    const { endedBy, ladder } = await report;
    expect(endedBy, ladder.join('\n')).toBe('callee');
    expect(await second.api.callIn(callId, ['completed'])).toMatchObject({ end_reason: 'shutdown' });
    expect(desk.methods().filter((method) => method === 'BYE')).toHaveLength(1);
    await eventually(() => expect(storedDialogs(first.dataDir, callId)).toEqual({ near: false, far: false }));
    desk.close();
    rtp.close();
  });
});
