import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freeSipPort } from '../../peers/sip-port.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';

const BUSY = '+33900000009';

describe('an organization limited to one outbound call at a time', () => {
  let providers: EmulatedProviders;
  let service: ServiceProcess;
  let environment: Record<string, string>;
  let callee: SipCallee;
  let agentId: string;

  /** The port may have belonged to a peer of an earlier test, whose last requests may still come. */
  const dialled = () => callee.methods().filter((method) => method === 'INVITE');
  const requestCall = (to = TO) =>
    service.api.send('POST', '/v1/calls/phone', { from_number: FROM, to_number: to, agent_id: agentId });
  const placeCall = async (to?: string): Promise<string> => {
    const { data, status } = await requestCall(to);
    expect(status).toBeLessThan(300);
    return z.object({ call_id: z.string() }).parse(data).call_id;
  };

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    callee = await SipCallee.open();
    callee.onRequest = (request) => {
      if (request.method === 'INVITE' && request.uri.includes(BUSY)) callee.respond(request, 486, 'Busy Here');
      else if (request.method === 'INVITE') callee.respond(request, 180, 'Ringing');
      else if (request.method !== 'ACK') callee.respond(request, 200, 'OK');
      const invite = callee.requests.findLast(({ method }) => method === 'INVITE');
      if (request.method === 'CANCEL' && invite) callee.respond(invite, 487, 'Request Terminated');
    };
    environment = {
      ...providers.environment,
      SIP_PORT: String(await freeSipPort()),
      RTP_PORTS: '29000-29099',
      ORGANIZATION_MAX_CALLS: '1',
    };
    service = await startServiceProcess(environment);
    agentId = (await service.api.createAgent(talker())).id;
    const trunk = { name: 'Carrier', termination_uri: `127.0.0.1:${callee.hop.port}`, transport: 'udp' };
    const { id } = await service.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', trunk);
    await service.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, name: 'Ours', trunk_id: id });
  });
  afterAll(async () => {
    await service?.kill();
    callee?.close();
    await providers?.close();
  });

  it('cannot place a second call until the first has ended: the request is neither stored nor dialled', async () => {
    const first = await placeCall();
    await eventually(() => expect(dialled()).toEqual(['INVITE']));
    const refused = await requestCall();
    expect(refused.status).toBe(429);
    expect(dialled()).toEqual(['INVITE']);
    const listed = await service.api.send('GET', '/v1/calls');
    expect(JSON.stringify(listed.data).match(new RegExp(`"from_number":"\\${FROM}"`, 'g'))).toHaveLength(1);

    await service.api.send('POST', `/v1/calls/${first}/terminate`);
    await service.api.callIn(first, ['canceled']);
    const busy = await eventually(() => placeCall(BUSY));
    await service.api.callIn(busy, ['busy']);
    await eventually(() => placeCall());
  });

  it('can place another call after a crash, which ended the calls of the killed process', async () => {
    expect((await requestCall()).status).toBe(429);
    service.child.kill('SIGKILL');
    await service.kill();
    service = await startServiceProcess({ ...environment, DATA_DIR: service.dataDir });
    // The start does not wait until the ends of the calls are stored.
    await eventually(() => placeCall());
    expect((await requestCall()).status).toBe(429);
  });
});
