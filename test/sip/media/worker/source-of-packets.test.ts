import { describe, expect, it } from 'vitest';
import { audioPacket, PARAMETERS, PORT, simulatedSession } from './simulated-session.ts';

/** A multiple of a packet, below the 2.5 s of the first report. */
const UNANSWERED_MS = 2_000;

describe('unverified source', () => {
  const UNVERIFIED = { ...PARAMETERS, sourceUnverified: true } as const;

  it('receives neither audio nor DTMF nor reports until the end of the call', async () => {
    const { session, tick, audio, reports, quality } = await simulatedSession();
    session.configure(UNVERIFIED);
    session.sendDtmf('1');
    tick(35 * 50);
    await session.close();
    expect([audio().length, reports().length]).toEqual([0, 0]);
    expect(quality()).toBeNull();
  });

  it('is verified once, by its tenth packet, and not by packets of other sources', async () => {
    const { session, tick, receive, audio, verifications } = await simulatedSession();
    session.configure(UNVERIFIED);
    for (let i = 0; i < 20; i++) receive(PORT, audioPacket(i), '127.0.0.9');
    for (let i = 0; i < 20; i++) receive(PORT, Uint8Array.of(i, 1, 2, 3));
    for (let i = 0; i < 9; i++) receive(PORT, audioPacket(i));
    expect(verifications).toEqual([]);
    for (let i = 9; i < 30; i++) receive(PORT, audioPacket(i));
    expect(verifications).toEqual(['verified']);
    tick(10);
    expect(audio()).toEqual([]);
    session.configure(PARAMETERS);
    tick(10);
    expect(audio()).toHaveLength(10);
    for (let i = 30; i < 60; i++) receive(PORT, audioPacket(i));
    expect(verifications).toEqual(['verified']);
  });
});

describe('an address from which no packet has come', () => {
  const BOUNDED = { ...PARAMETERS, unansweredMsMax: UNANSWERED_MS } as const;
  const ELSEWHERE = { ...BOUNDED, remoteAddress: '127.0.0.7' } as const;
  const TICKS = UNANSWERED_MS / 20;

  it('gets audio and reports for the bound, and nothing after it', async () => {
    const { session, tick, audio, reports, verifications } = await simulatedSession();
    session.configure(BOUNDED);
    tick(TICKS + 30 * 50);
    expect(audio()).toHaveLength(TICKS);
    expect(verifications).toEqual(['silenced']);
    await session.close();
    expect(reports()).toEqual([]);
  });

  it('gets audio without bound after its first packet', async () => {
    const { session, tick, receive, audio, verifications } = await simulatedSession();
    session.configure(BOUNDED);
    tick(TICKS + 10);
    receive(PORT, audioPacket(1));
    tick(2 * TICKS);
    expect(audio()).toHaveLength(3 * TICKS);
    expect(verifications).toEqual(['silenced', 'resumed']);
  });

  it('shares the bound with the addresses that other SDP names', async () => {
    const { session, tick, receive, audio } = await simulatedSession();
    session.configure(BOUNDED);
    tick(TICKS - 10);
    session.configure(ELSEWHERE);
    tick(TICKS);
    session.configure({ ...ELSEWHERE, remotePort: 7000 });
    tick(TICKS);
    expect(audio()).toHaveLength(TICKS);
    receive(PORT, audioPacket(1), ELSEWHERE.remoteAddress);
    tick(1);
    session.configure({ ...ELSEWHERE, remotePort: 7002 });
    tick(TICKS);
    expect(audio()).toHaveLength(TICKS + 1);
  });

  it('gets the bound also after a time at an address without one', async () => {
    const { session, tick, audio } = await simulatedSession();
    session.configure(PARAMETERS);
    tick(2 * TICKS);
    session.configure(ELSEWHERE);
    tick(2 * TICKS);
    expect(audio().filter(({ to }) => to.startsWith(ELSEWHERE.remoteAddress))).toHaveLength(TICKS);
  });

  it('gets the rest when the bound is raised', async () => {
    const { session, tick, audio, verifications } = await simulatedSession();
    session.configure({ ...BOUNDED, unansweredMsMax: UNANSWERED_MS / 2 });
    tick(TICKS);
    session.configure(BOUNDED);
    tick(TICKS);
    expect(audio()).toHaveLength(TICKS);
    expect(verifications).toEqual(['silenced', 'resumed', 'silenced']);
  });

  it('gets nothing when packets came from the SIP source instead', async () => {
    const { session, tick, receive, audio } = await simulatedSession();
    const withSource = { ...ELSEWHERE, allowedAddresses: ['127.0.0.1'] };
    session.configure(withSource);
    receive(PORT, audioPacket(1), '127.0.0.1');
    tick(2 * TICKS);
    session.configure({ ...withSource, remotePort: 7000 });
    tick(2 * TICKS);
    expect(audio().filter(({ to }) => to.startsWith(ELSEWHERE.remoteAddress))).toHaveLength(TICKS);
  });
});

describe('two sources at one address', () => {
  it('the one that SDP names gets our audio, also where the other one came first', async () => {
    const { session, tick, receive, audio } = await simulatedSession();
    session.configure(PARAMETERS);
    receive(PORT, audioPacket(1), '127.0.0.1', 5555);
    tick(100);
    receive(PORT, audioPacket(1), '127.0.0.1', PARAMETERS.remotePort);
    tick(1);
    receive(PORT, audioPacket(2), '127.0.0.1', 5555);
    tick(1);
    const named = `127.0.0.1:${PARAMETERS.remotePort}`;
    expect(
      audio()
        .map(({ to }) => to)
        .slice(-3),
    ).toEqual(['127.0.0.1:5555', named, named]);
  });
});
