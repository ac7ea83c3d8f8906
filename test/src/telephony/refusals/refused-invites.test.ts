import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { Refusal } from '../../../../src/telephony/refusals/refusal-cause.ts';
import { type RefusedInvite, RefusedInvites } from '../../../../src/telephony/refusals/refused-invites.ts';
import { createRefusalReport } from '../../../../src/telephony/refusals/report-refusal.ts';

const REFUSALS_MAX = 100;
const ORGANIZATIONS_MAX = 256;
/** Reports of refusals of the SIP layer that one source may cause at once. */
const SOURCE_BURST = 20;
const INVITE = {
  caller: '+4930123456',
  dialled: '+33123456789',
  source: { address: '192.0.2.7', port: 5060, transport: 'udp' },
};

function reports() {
  const refused = new RefusedInvites();
  const lines: unknown[] = [];
  const causes: string[] = [];
  const clock = new SimulatedClock();
  const report = createRefusalReport({
    refused,
    metrics: { inviteRefused: (cause) => causes.push(cause) },
    listedBy: (address) => (address === '192.0.2.7' ? ['lister'] : []),
    log: { info: (fields, event) => lines.push([event, fields]) },
    clock: { nowUs: () => clock.nowUs(), wallMs: () => 5 },
  });
  return { causes, clock, lines, refused, report };
}

function report(refusal: Pick<Refusal, 'cause' | 'organizationId'>) {
  const { report, ...reported } = reports();
  report(INVITE, { status: 404, detail: null, ...refusal });
  return reported;
}

describe('a refused INVITE', () => {
  it('is reported with one cause, the SIP status and masked numbers to log, metric and organization', () => {
    const { causes, lines, refused } = report({ cause: 'unlisted_source', organizationId: 'owner' });
    const shown = {
      source: '192.0.2.7',
      from: '+49••••••56',
      to: '+33•••••••89',
      status: 404,
      cause: 'unlisted_source',
    };
    expect(lines).toEqual([['INVITE refused', shown]]);
    expect(causes).toEqual(['unlisted_source']);
    expect(refused.of('owner')).toEqual([{ ...shown, atMs: 5, detail: null }]);
    expect(refused.of('lister')).toEqual([]);
  });

  it('is shown only to the organizations that list its source if it names none', () => {
    const { refused } = report({ cause: 'unknown_number', organizationId: null });
    expect(refused.of('lister')).toHaveLength(1);
    expect(refused.of('owner')).toEqual([]);
  });

  it('of the SIP layer is counted each time, and logged and shown at a limited rate for each source', () => {
    const { causes, clock, lines, refused, report } = reports();
    const refusal = { cause: 'invalid_request', status: 400, detail: 'no Contact', organizationId: null } as const;
    for (let nth = 0; nth < 2 * SOURCE_BURST; nth++) report(INVITE, refusal);
    report({ ...INVITE, source: { ...INVITE.source, address: '192.0.2.8' } }, refusal);
    expect(causes).toHaveLength(2 * SOURCE_BURST + 1);
    expect(lines).toHaveLength(SOURCE_BURST + 1);
    expect(refused.of('lister')).toHaveLength(SOURCE_BURST);
    void clock.advance(1_000);
    report(INVITE, refusal);
    expect(lines).toHaveLength(SOURCE_BURST + 2);
  });
});

describe('the refused INVITEs of an organization', () => {
  const at = (atMs: number): RefusedInvite => ({
    atMs,
    cause: 'unknown_number',
    status: 404,
    detail: null,
    source: '192.0.2.7',
    from: null,
    to: null,
  });

  it('are the latest ones, newest first, and none of another organization displaces them', () => {
    const refused = new RefusedInvites();
    refused.add(at(-1), ['quiet']);
    for (let ms = 0; ms <= REFUSALS_MAX; ms++) refused.add(at(ms), ['flooded']);
    expect(refused.of('flooded').map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: REFUSALS_MAX }, (_, index) => REFUSALS_MAX - index),
    );
    expect(refused.of('quiet')).toHaveLength(1);
  });

  it('are kept for a bounded number of organizations', () => {
    const refused = new RefusedInvites();
    for (let id = 0; id <= ORGANIZATIONS_MAX; id++) refused.add(at(id), [String(id)]);
    expect(refused.of('0')).toEqual([]);
    expect(refused.of('1')).toHaveLength(1);
  });
});
