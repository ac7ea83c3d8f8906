import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');

describe('an INVITE that is to replace another dialog (RFC 3891), which is not spoken here', () => {
  let rig: ServerRig;
  /** That the application has confirmed, and no test has taken yet. */
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

  async function answered(...extra: string[]) {
    const call = rig.phone.newCall({ extra });
    call.invite();
    const ok = await rig.phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    // The application's own connection is no part of the phone's round trip.
    const dialog = await vi.waitFor(() => {
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

  /** A call that stands, and the header by which another would take it over. */
  async function standing() {
    const { call, dialog, ok } = await answered();
    const ended: unknown[] = [];
    dialog.on('destroy', () => ended.push('destroyed'));
    const ours = tagOf(getHeader(ok.headers, 'To') ?? '');
    const replaces = `Replaces: ${call.callId};to-tag=${ours};from-tag=${call.fromTag}`;
    return { dialog, ok, replaces, ended };
  }

  it('and says so: 420 names it, the dialog stands, the application hears nothing; it is not offered either', async () => {
    const { dialog, ok, replaces, ended } = await standing();
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

  it('nor says so: it is a call like any other, and the dialog that it names stands', async () => {
    const { dialog, replaces, ended } = await standing();
    const second = await answered(replaces);
    expect(ended).toEqual([]);
    expect(rig.server.statistics.dialogs).toBe(2);
    await hangUp(second.dialog);
    expect(ended).toEqual([]);
    await hangUp(dialog);
  });
});
