import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');

describe('an INVITE with Replaces (RFC 3891), which is not supported,', () => {
  let rig: ServerRig;
  /** Confirmed dialogs that no test has taken yet. */
  let dialogs: Srf.Dialog[];
  let invites: number;

  beforeEach(async () => {
    rig = await ServerRig.start();
    dialogs = [];
    invites = 0;
    rig.srf.invite((req, res) => {
      invites += 1;
      void rig.srf.createUAS(req, res, { localSdp: ANSWER }).then((dialog) => dialogs.push(dialog));
    });
    await rig.settle();
  });
  afterEach(async () => {
    await rig.close();
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, internalErrors: 0 });
  });

  async function answeredCall(...extra: string[]) {
    const call = rig.phone.newCall({ extra });
    call.invite();
    const ok = await rig.phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    // The dialog arrives over the application's connection, later than the phone's 200.
    const dialog = await eventually(() => {
      const [confirmed] = dialogs.splice(0);
      if (confirmed === undefined) throw new Error('the application has no dialog');
      return confirmed;
    }, 10_000);
    return { call, dialog, ok };
  }

  const hangUp = async (dialog: Srf.Dialog) => {
    const destroyed = dialog.destroy();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
  };

  /** An answered call, and a Replaces header that identifies it. */
  async function callToReplace() {
    const { call, dialog, ok } = await answeredCall();
    const ended: unknown[] = [];
    dialog.on('destroy', () => ended.push('destroyed'));
    const ours = tagOf(getHeader(ok.headers, 'To') ?? '');
    const replaces = `Replaces: ${call.callId};to-tag=${ours};from-tag=${call.fromTag}`;
    return { dialog, ok, replaces, ended };
  }

  it('is refused with 420 if it requires the extension, and the other dialog continues', async () => {
    const { dialog, ok, replaces, ended } = await callToReplace();
    expect(getListValues(ok.headers, 'Supported')).not.toContain('replaces');
    const call = rig.phone.newCall({ extra: [replaces, 'Require: replaces'] });
    call.invite();
    const refusal = await rig.phone.nextResponse('INVITE', 420);
    expect(getHeader(refusal.headers, 'Unsupported')).toBe('replaces');
    call.ackRefusal(refusal);
    await rig.settle();
    expect([invites, ended.length]).toEqual([1, 0]);
    await hangUp(dialog);
    rig.clock.advance(40_000);
  });

  it('becomes a normal call if it does not require the extension, and the other dialog continues', async () => {
    const { dialog, replaces, ended } = await callToReplace();
    const second = await answeredCall(replaces);
    expect(ended).toEqual([]);
    expect(rig.server.statistics.dialogs).toBe(2);
    await hangUp(second.dialog);
    expect(ended).toEqual([]);
    await hangUp(dialog);
  });
});
