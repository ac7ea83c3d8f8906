import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../service/rig/eventually.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { SipCallee } from '../sip-endpoint/sip-callee.ts';
import { describeAttacks } from './attacked-service.ts';

/** Texts that change the title of a terminal, colour it, or reverse the direction of its text. */
const ATTACKS = {
  'a quoted pair outside a quoted string': 'Busy \\\u001b]0;PWNED\\\u0007',
  'a C1 control character': 'Busy \u009b31mPWNED',
  'a bidirectional mark': 'Busy \u202edenwP',
};

describeAttacks('a peer that writes to the terminal of the operator', {}, (service) => {
  let uas: SipCallee;

  beforeAll(async () => {
    // A response that the parser refuses is lost. The repeated INVITE, another request for `each`, ends the call.
    uas = await SipCallee.open('127.0.0.1', 'each');
    const { addTrunk, test } = service();
    const hop = `127.0.0.1:${uas.hop.port}`;
    const id = await addTrunk({ name: 'Carrier', termination_uri: hop, transport: 'udp' });
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, name: 'Ours', trunk_id: id });
  });
  afterAll(() => uas?.close());

  it.each(Object.entries(ATTACKS))('a reason phrase cannot control the terminal of a ladder: %s', async (_, reason) => {
    const { agentId, test } = service();
    let refused = false;
    uas.onRequest = (request) => {
      if (request.method === 'INVITE' && !refused) uas.respond(request, 486, reason);
      if (request.method === 'INVITE' && refused) uas.respond(request, 486, 'Busy');
      refused = true;
    };
    const request = { from_number: FROM, to_number: TO, agent_id: agentId };
    const { call_id: callId } = await test.api.requestOk(
      z.object({ call_id: z.string() }),
      'POST',
      '/v1/calls/phone',
      request,
    );
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
});
