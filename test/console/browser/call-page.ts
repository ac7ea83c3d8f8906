import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EXAMPLE_TIMELINE } from '../../../src/api/schemas/example-timeline.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser } from './console-browser.ts';
import { storeCall } from './stored-call.ts';

const CALL_S = 60;
const RECORDED_S = 30;
const FAILED_S = 20;
/** Beyond the recording. */
const LAST_SPEECH_S = 50;
const FAILURE = 'openai → mistral: HTTP 503';
/** Deliveries of one page of the list. */
const PAGE_DELIVERIES = 100;
/** Height of the waveform of one channel. */
const CHANNEL_PX = 44;
/** Rounding of places on the page. */
const PX_MAX = 3;

const answeredCall = z.looseObject({ start_time: z.string() });

function us(seconds: number): number {
  return seconds * 1_000_000;
}

function agentSaid(sequence: number, atS: number, content: string) {
  const entry = { role: 'agent' as const, sequence, startUs: us(atS), endUs: us(atS + 3), content, interrupted: false };
  return { type: 'transcript' as const, entry };
}

function delivery(id: number, status: 'delivered' | 'failed') {
  return {
    id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    type: 'event_call_ended',
    status,
    url: 'https://hooks.example',
    body: null,
    attempts: [],
    next_attempt_at: null,
  };
}

function failure(message: string) {
  return { message, data: null, error: { message, details: null }, status: 404 };
}

/** The page of a call that has ended, whose recording ends before it. Part of `console.test.ts`: the console is built. */
export function describeCallPage(): void {
  describe.skipIf(!hasPeer('chromium'))('the page of a call', () => {
    let test: TestService;
    let browser: ConsoleBrowser;
    let callId: string;

    beforeAll(async () => {
      test = await startTestService();
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Front desk' }));
      const at = { fromUs: us(FAILED_S), toUs: us(FAILED_S) };
      const failed = { kind: 'language_model' as const, provider: 'openai', next: 'mistral', error: 'HTTP 503' };
      const entries = [
        agentSaid(1, 1, 'Good day.'),
        agentSaid(2, LAST_SPEECH_S, 'Goodbye.'),
        {
          type: 'spans' as const,
          part: 1,
          spans: [
            { type: 'answered' as const, fromUs: 0, toUs: 0 },
            { type: 'agent_speech' as const, fromUs: us(1), toUs: us(4) },
            { type: 'provider_failure' as const, ...failed, ...at },
            { type: 'agent_speech' as const, fromUs: us(LAST_SPEECH_S), toUs: us(LAST_SPEECH_S + 3) },
          ],
        },
      ];
      callId = await storeCall(test, { agentId, batches: [entries], lengthS: CALL_S, recordedS: RECORDED_S });
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
    });

    async function openCall(prepare: (page: Page) => Promise<unknown> = async () => {}) {
      const opened = await browser.open();
      await signIn(opened.page, TEST_API_KEY);
      await prepare(opened.page);
      await opened.page.evaluate(`location.hash = '/calls/${callId}'`);
      await opened.page.getByRole('region', { name: 'Transcript' }).getByText('Goodbye.').waitFor();
      return opened;
    }

    async function placeOf(page: Page, selector: string) {
      const box = await page.locator(selector).boundingBox();
      if (box === null) throw new Error(`${selector} is not shown`);
      return { left: box.x, right: box.x + box.width, width: box.width };
    }

    /** The place of a time on the axis, px. */
    async function axisPx(page: Page, atS: number): Promise<number> {
      const { left, width } = await placeOf(page, '.axis');
      return left + (width * atS) / CALL_S;
    }

    async function expectCursorAt(page: Page, atS: number): Promise<void> {
      const wantedPx = await axisPx(page, atS);
      const distancePx = async () => {
        const { left, right } = await placeOf(page, '.axis > .cursor');
        return Math.abs((left + right) / 2 - wantedPx);
      };
      await expect.poll(distancePx).toBeLessThan(PX_MAX);
    }

    it('draws a recording that is shorter than the call on its part of the time axis', async () => {
      const { page } = await openCall();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      const waveform = await placeOf(page, '.waveform > div');
      expect(Math.abs(waveform.left - (await axisPx(page, 0)))).toBeLessThan(PX_MAX);
      expect(Math.abs(waveform.right - (await axisPx(page, RECORDED_S)))).toBeLessThan(PX_MAX);
      await page.locator('.waveform > div').click({ position: { x: waveform.width / 2, y: 20 } });
      await expectCursorAt(page, RECORDED_S / 2);
      // Nothing is recorded there: the playback position stays at the end.
      await page.locator('.lane-agent').last().click();
      await expectCursorAt(page, RECORDED_S);
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    });

    it('moves nothing when the timeline and the recording come', async () => {
      const held = ['timeline', 'recording'].map((part) => ({ part, ...Promise.withResolvers<Route>() }));
      const opening = openCall(async (opened) => {
        for (const { part, resolve } of held)
          await opened.route(`**/v1/calls/${callId}/${part}`, resolve, { times: 1 });
      });
      const [timeline, recording] = held.map(({ promise }) => promise);
      await (await timeline)?.continue();
      const { page } = await opening;
      const request = await recording;
      const placesOf = () =>
        Promise.all(
          ['Time axis', 'Transcript', 'Why was it silent?', 'Downloads'].map(async (name) => {
            const box = await page.getByRole('region', { name }).boundingBox();
            return { name, y: box?.y };
          }),
        );
      const before = await placesOf();
      await request?.continue();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      expect(await placesOf()).toEqual(before);
    });

    it('names the channels of the recording one above the other, in four languages', async () => {
      const { page } = await openCall();
      const names = page.locator('.channel-name');
      await names.last().waitFor();
      for (const language of ['de', 'fr', 'es', 'en']) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.locator(`html[lang=${language}]`).waitFor();
        const [user, agent] = await Promise.all([names.first().boundingBox(), names.last().boundingBox()]);
        const agentWaveformY = ((await page.locator('.waveform').boundingBox())?.y ?? 0) + CHANNEL_PX;
        expect((user?.y ?? 0) + (user?.height ?? 0)).toBeLessThanOrEqual(agent?.y ?? 0);
        expect(agent?.y).toBeGreaterThanOrEqual(agentWaveformY);
        expect((agent?.y ?? 0) + (agent?.height ?? 0)).toBeLessThanOrEqual(agentWaveformY + CHANNEL_PX);
      }
    });

    it('lists the cause of a failover in words, by keyboard, also in a narrow window', async () => {
      const { page, complaints } = await openCall();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      const events = page.getByRole('list', { name: 'Failures, transfers, fillers' });
      await page.setViewportSize({ width: 390, height: 844 });
      await events.getByText(FAILURE).waitFor();
      expect((await events.getByText(FAILURE).boundingBox())?.width).toBeLessThan(390);
      await events.getByRole('button', { name: 'Go to 0:20' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Pause' }).click();
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
      expect(await faultsOfPage(page, 'call-events')).toEqual([]);
    });

    it('says that the timeline cannot be read, until it can', async () => {
      const timelines = `**/v1/calls/${callId}/timeline`;
      const { page } = await openCall((opened) =>
        opened.route(timelines, (route) => route.fulfill({ status: 503, json: failure('The timeline is lost.') })),
      );
      const alert = page.getByRole('alert').filter({ hasText: 'The timeline is lost.' });
      await alert.waitFor();
      expect(await page.getByRole('region', { name: 'Why was it silent?' }).count()).toBe(0);
      await page.unroute(timelines);
      await page.getByRole('region', { name: 'Why was it silent?' }).waitFor();
      expect(await alert.count()).toBe(0);
    });

    it('shows each label of the time axis in a narrow window', async () => {
      const storedCall = await test.api.requestOk(answeredCall, 'GET', `/v1/calls/${callId}`);
      // Its last label is that of 0:40.
      const endTime = new Date(Date.parse(storedCall.start_time) + 43_000).toISOString();
      const { page } = await openCall((opened) =>
        opened.route(`**/v1/calls/${callId}`, (route) =>
          route.fulfill({
            json: { message: 'OK', data: { ...storedCall, end_time: endTime }, error: null, status: 200 },
          }),
        ),
      );
      await page.setViewportSize({ width: 390, height: 844 });
      const cut = `(() => {
        const axis = document.querySelector('.ticks').getBoundingClientRect();
        const labels = [...document.querySelectorAll('.ticks span')].filter((label) => label.checkVisibility());
        return labels.filter((label) => label.getBoundingClientRect().right > axis.right + 1).map((label) => label.textContent);
      })()`;
      expect(await page.locator('.ticks span').count()).toBeGreaterThan(2);
      expect(await page.evaluate(cut)).toEqual([]);
    });

    it('lists the silences, the longest first', async () => {
      const silence = (start_ms: number, end_ms: number) => ({ start_ms, end_ms, causes: [] });
      const silences = [
        silence(5_000, 6_100),
        silence(12_000, 14_000),
        silence(30_000, 33_020),
        silence(40_000, 41_500),
      ];
      const { page } = await openCall((opened) =>
        opened.route(`**/v1/calls/${callId}/timeline`, (route) =>
          route.fulfill({ json: { message: 'OK', data: { ...EXAMPLE_TIMELINE, silences }, error: null, status: 200 } }),
        ),
      );
      const panel = page.getByRole('region', { name: 'Why was it silent?' });
      await panel.getByText('3.02 s').waitFor();
      expect(await panel.locator('strong').allInnerTexts()).toEqual(['3.02 s', '2.00 s', '1.50 s', '1.10 s']);
    });

    describe('the webhook deliveries', () => {
      const DELIVERIES = '**/v1/webhook-deliveries?**';
      const page = (data: readonly object[], next: string | null) => ({
        json: { message: 'OK', data, error: null, status: 200, next_cursor: next },
      });
      const newest = Array.from({ length: PAGE_DELIVERIES }, (_, id) => delivery(id, 'delivered'));
      const answer = (route: Route) =>
        route.fulfill(
          route.request().url().includes('cursor=older')
            ? page([delivery(PAGE_DELIVERIES, 'failed')], null)
            : page(newest, 'older'),
        );

      it('count those that were read, and lead to older ones that failed', async () => {
        const { page: shown } = await openCall((opened) => opened.route(DELIVERIES, answer));
        const panel = shown.getByRole('region', { name: 'Webhook deliveries' });
        await panel.getByText('100 of the newest 100 delivered').waitFor();
        await panel.getByRole('button', { name: 'Show more' }).click();
        await panel.getByText('100 of 101 delivered').waitFor();
        await panel.getByText('failed', { exact: true }).waitFor();
        expect(await panel.getByRole('button', { name: 'Show more' }).count()).toBe(0);
      });

      it('say that one could not be sent again', async () => {
        const { page: shown } = await openCall(async (opened) => {
          await opened.route(DELIVERIES, (route) => route.fulfill(page([delivery(1, 'failed')], null)));
          await opened.route('**/redeliver', (route) =>
            route.fulfill({ status: 409, json: failure('The content was deleted.') }),
          );
        });
        const panel = shown.getByRole('region', { name: 'Webhook deliveries' });
        await panel.getByRole('button', { name: 'Send again' }).click();
        await panel.getByRole('alert').getByText('The content was deleted.').waitFor();
      });

      it('are read again while the page is open', async () => {
        const data = [delivery(1, 'delivered')];
        const { page: shown } = await openCall((opened) =>
          opened.route(DELIVERIES, (route) => route.fulfill(page(data, null))),
        );
        const panel = shown.getByRole('region', { name: 'Webhook deliveries' });
        await panel.getByText('1 of 1 delivered').waitFor();
        data.unshift(delivery(2, 'failed'));
        await panel.getByText('1 of 2 delivered').waitFor();
      });

      it('say that they cannot be read', async () => {
        const { page: shown } = await openCall((opened) =>
          opened.route(DELIVERIES, (route) => route.fulfill({ status: 409, json: failure('No deliveries.') })),
        );
        const panel = shown.getByRole('region', { name: 'Webhook deliveries' });
        await panel.getByRole('alert').getByText('No deliveries.').waitFor();
        expect(await panel.getByText('It is tried again').count()).toBe(0);
      });
    });
  });
}
