import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { LASTING_DATABASES, type LastingEnvironment } from '../postgres/databases.ts';
import { textAnswer, toolCallsAnswer } from '../providers/openai/chat-script.ts';
import { FINAL_STATUSES } from '../service/rig/api-client.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';
import { deskDoes } from '../service/rig/transfer-target.ts';
import { SipCallee } from '../sip-endpoint/sip-callee.ts';

/** The services wait for their calls at the same time. The attacks of one service share a trunk and follow each other. */
const DATABASES_AT_ONCE = { concurrent: true };
const IN_ORDER = { concurrent: false };

const withId = z.looseObject({ id: z.string() });

/** User parts of transfers to a trunk in the United States that may be called in France and Germany only. */
const REFUSED = [
  '+19005551234',
  '19005551234',
  '0119005551234',
  '9+19005551234',
  '%2B1900555%31234',
  '+1-900-555.1234',
  '+4900119005551234567',
  '0155555555;phone-context=+1',
  '*7219005551234',
  '911',
  '1001',
];

/** The operator's PBX, which may be bridged to: no trunk, or a trunk that is known by a name. */
const PBX_ADDRESS = '127.0.0.2';
/** A name that resolvers read as `PBX_ADDRESS`. */
const PBX_NAME = '127.2';

describe.each(LASTING_DATABASES)(
  'a service on %s that may call France and Germany',
  DATABASES_AT_ONCE,
  (_, openDatabase) => {
    let database: LastingEnvironment;
    let providers: EmulatedProviders;
    let test: TestService;
    let trunk: SipCallee;
    let host: string;
    let agentId: string;

    beforeAll(async () => {
      database = await openDatabase();
      providers = await startEmulatedProviders({
        listen: { steps: heardLine('The desk please.', 200, 600) },
        chat: (body) =>
          JSON.stringify(body).includes('The transfer failed')
            ? textAnswer('I am sorry.')
            : toolCallsAnswer([{ id: 'call_1', name: 'desk', arguments: '{}' }]),
      });
      const allowed = {
        ALLOWED_PREFIXES: '+33,+49',
        ALLOWED_EXTENSIONS: '2000-2099',
        SIP_ALLOW_ADDRESSES: `${PBX_ADDRESS}/32`,
      };
      test = await startTestService({ ...providers.environment, ...allowed, ...database.environment });
      trunk = await SipCallee.open();
      deskDoes(trunk, (invite) => trunk.respond(invite, 486, 'Busy Here'));
      host = `127.0.0.1:${trunk.hop.port}`;
      const { id } = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', {
        name: 'Carrier',
        termination_uri: host,
        country: 'US',
      });
      for (const number of [FROM, TO])
        await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', { number, name: 'Ours', trunk_id: id });
      agentId = (await test.api.createAgent(talker())).id;
    });
    afterAll(async () => {
      trunk?.close();
      await test?.close();
      await database?.drop();
      await providers?.close();
    });

    /** The Request-URIs that the trunk got for a transfer, and what the caller got instead of one. */
    const transfer = async (destination: string, mode: 'bridge' | 'refer') => {
      const tool = { type: 'transfer_call', name: 'desk', destination, mode, ring_timeout: 5 };
      const states = [{ name: 'talk', prompt: 'Talk.', tools: [tool] }];
      const agent = await test.api.createAgent(talker({ initial_message: 'Hello.', states }));
      const before = trunk.requests.length;
      const { callId, hangUp } = await dialIn(test, agent.id);
      const reason = await eventually(async () => {
        const { transcript } = await test.api.call(callId);
        const [, text] = /The transfer failed: ([^"]*)/.exec(JSON.stringify(transcript)) ?? [];
        if (text === undefined) throw new Error('the transfer has not failed yet');
        return text;
      });
      const { ladder } = await hangUp();
      const invites = trunk.requests.slice(before).filter(({ method }) => method === 'INVITE');
      return { reason, refers: ladder.some((line) => line.includes('REFER')), uris: invites.map(({ uri }) => uri) };
    };

    describe('in a transfer', IN_ORDER, () => {
      it.each(REFUSED)('never dials sip:%s at a trunk', async (user) => {
        const { reason, refers, uris } = await transfer(
          `sip:${user}@${host}`,
          user.length % 2 === 0 ? 'bridge' : 'refer',
        );
        expect(reason).toMatch(
          /^the destination is not dialled: it is (neither a phone number|not an E\.164 number)|its prefix/,
        );
        expect(uris).toEqual([]);
        expect(refers).toBe(false);
      });

      it.each(['118218', '911'])('never dials %s at the address of a trunk that is known by its name', async (user) => {
        const pbx = await SipCallee.open(PBX_ADDRESS);
        onTestFinished(() => pbx.close());
        const name = `${PBX_NAME}:${pbx.hop.port}`;
        const named = { name: 'PBX', termination_uri: name, country: 'FR' };
        const { id } = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', named);
        onTestFinished(async () => void (await test.api.send('DELETE', `/v1/sip-trunks/${id}`)));
        const { reason } = await transfer(`sip:${user}@${PBX_ADDRESS}:${pbx.hop.port}`, 'bridge');
        expect(reason).toMatch(/^the destination is not dialled: it is neither a phone number/);
        expect(pbx.requests).toEqual([]);
      });

      it.each(['112', '*72', '%2A72', '900', '1234', '#21#', '1_1_2'])(
        "never dials %s at the operator's PBX, which is no trunk",
        async (user) => {
          const pbx = await SipCallee.open(PBX_ADDRESS);
          onTestFinished(() => pbx.close());
          const destination = `sip:${user.replaceAll('#', '%23')}@${PBX_ADDRESS}:${pbx.hop.port}`;
          await Promise.all(
            (['bridge', 'refer'] as const).map(async (mode) => {
              const { reason, refers } = await transfer(destination, mode);
              expect(reason).toMatch(/^the destination is not dialled: it is neither a phone number/);
              expect(refers).toBe(false);
            }),
          );
          expect(pbx.requests).toEqual([]);
        },
      );

      it.each(['desk', '2042'])("dials the name or listed extension %s at the operator's PBX", async (user) => {
        const pbx = await SipCallee.open(PBX_ADDRESS);
        onTestFinished(() => pbx.close());
        deskDoes(pbx, (invite) => pbx.respond(invite, 486, 'Busy Here'));
        const { reason } = await transfer(`sip:${user}@${PBX_ADDRESS}:${pbx.hop.port}`, 'bridge');
        expect(reason).toContain('the line is busy');
        expect(pbx.requests[0]?.uri).toBe(`sip:${user}@${PBX_ADDRESS}:${pbx.hop.port}`);
      });

      it.each([
        ['011493012345678', '+493012345678'],
        ['2042', '2042'],
      ])('dials %s as %s', async (user, dialled) => {
        const { reason, uris } = await transfer(`sip:${user}@${host}`, 'bridge');
        expect(reason).toContain('the line is busy');
        expect(uris).toEqual([`sip:${dialled}@${host}`]);
      });
    });

    describe('in an outbound call', IN_ORDER, () => {
      it.each([
        'sip:+19005551234@HOST',
        'sip:0119005551234@HOST',
        'sip:19005551234@192.0.2.1',
        'tel:+19005551234',
        'sip:911@HOST',
        'sip:+33155555555@HOST;maddr=192.0.2.1',
      ])('never follows a redirect of a trunk to %s', async (contact) => {
        const target = contact.replace('HOST', host);
        const before = trunk.requests.length;
        deskDoes(trunk, (invite) =>
          trunk.respond(invite, 302, 'Moved', null, [{ name: 'Contact', value: `<${target}>` }]),
        );
        const started = z.object({ call_id: z.string() });
        const request = { from_number: FROM, to_number: '+33155555555', agent_id: agentId };
        const { call_id } = await test.api.requestOk(started, 'POST', '/v1/calls/phone', request);
        const record = await test.api.callIn(call_id, FINAL_STATUSES);
        expect(record).toMatchObject({ end_reason: 'redirected', redirect_target: target });
        const invites = trunk.requests.slice(before).filter(({ method }) => method === 'INVITE');
        expect(invites).toHaveLength(1);
      });
    });

    describe('in an API request', IN_ORDER, () => {
      it.each(['+4409012345678', '+19005551234', '+331189005551234'])(
        'refuses a number that redirects to %s with 422',
        async (target) => {
          const redirect = { redirect: true, redirect_phone_number: target };
          const number = { number: '+33144444444', name: 'Moved', ...redirect };
          expect((await test.api.send('POST', '/v1/phone-numbers', number)).status).toBe(422);
        },
      );

      it.each([
        { headers: { To: '<sip:19005551234@carrier.example>' } },
        { headers: { To: 'tel:+19005551234' } },
        { headers: { to: '<sip:+33155555555;phone-context=x@carrier.example;maddr=192.0.2.1>' } },
        { headers: { To: '<sip:911@carrier.example>' } },
        { headers: { To: '<sip:+33155555555@carrier.example?Replaces=a>' } },
        { headers: { Diversion: '<sip:+33155555555@carrier.example?Route=%3Csip:x%3E>' } },
        { number: '+19005551234' },
        { number: '+490011900555123' },
      ])('refuses an outbound call with 422 that names another destination: %j', async ({ headers, number }) => {
        const before = trunk.requests.length;
        const { status } = await test.api.send('POST', '/v1/calls/phone', {
          from_number: FROM,
          to_number: number ?? '+33155555555',
          agent_id: agentId,
          ...(headers !== undefined && { custom_headers: headers }),
        });
        expect(status).toBe(422);
        expect(trunk.requests).toHaveLength(before);
      });
    });
  },
);
