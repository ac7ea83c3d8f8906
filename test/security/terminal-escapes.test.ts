import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type EmulatedProviders, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { FROM, TO, talker } from '../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';
import { SipCallee } from '../sip-endpoint/sip-callee.ts';

/** What changes the title of a terminal, colours it, and turns its text around. */
const ATTACKS = {
  'a quoted pair outside a quoted string': 'Busy \\\u001b]0;PWNED\\\u0007',
  'a C1 control character': 'Busy \u009b31mPWNED',
  'a bidirectional mark': 'Busy \u202edenwP',
};

let providers: EmulatedProviders;
let test: TestService;
let uas: SipCallee;
let agentId: string;

beforeAll(async () => {
  providers = await startEmulatedProviders();
  test = await startTestService(providers.environment);
  agentId = (await test.api.createAgent(talker())).id;
  uas = await SipCallee.open();
  const trunk = await test.api.must(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
    name: 'Carrier',
    termination_uri: `127.0.0.1:${uas.hop.port}`,
    transport: 'udp',
  });
  await test.api.must(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, name: 'Ours', trunk_id: trunk.id });
});
afterAll(async () => {
  uas.close();
  await test.close();
  await providers.close();
});

it.each(Object.entries(ATTACKS))('a reason phrase cannot control the terminal of a ladder: %s', async (_, reason) => {
  let refused = false;
  uas.onRequest = (request) => {
    if (request.method === 'INVITE' && !refused) uas.respond(request, 486, reason);
    if (request.method === 'INVITE' && refused) uas.respond(request, 486, 'Busy');
    // A response that the parser refuses is repeated in vain: the call ends by the next one.
    refused = true;
  };
  const order = { from_number: FROM, to_number: TO, agent_id: agentId };
  const { call_id: callId } = await test.api.must(z.object({ call_id: z.string() }), 'POST', '/v1/calls/phone', order);
  await test.api.callIn(callId, ['busy', 'failed', 'rejected']);
  const ladder = await eventually(async () => {
    const url = `${test.service.httpUrl}/v1/calls/${callId}/sip-ladder`;
    const text = await (await fetch(url, { headers: { 'x-api-key': TEST_API_KEY } })).text();
    expect(text).toMatch(/<── .* 486 Busy/);
    return text;
  });
  expect(ladder.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(test.log().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
