import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { en } from '../../../console/src/i18n/en.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser, TABLE_OVERFLOW } from './console-browser.ts';

const SCRIPT_IN_NAME = '"><svg onload=window.intruded=1>';
const GREETING = 'Good day.';
/** The greeting costs less than a thousandth. */
const CHARACTER_PRICE = 0.0001;
const GREETING_PRICE = (GREETING.length * CHARACTER_PRICE).toFixed(4);
const PRICES = `telephony: { per_minute: 0.02 }
transcriber: [{ provider: deepgram, per_minute: 0.01 }]
voice: [{ provider: deepgram, per_million_characters: ${CHARACTER_PRICE * 1_000_000} }]
`;
/** Programs for the browser: how many lines of fields the rare filters have, and at how many heights these fields end. */
const RARE = "[...document.querySelectorAll('.more-filters .filters > *')]";
const FILTER_LINES = `Math.ceil(${RARE}.length / getComputedStyle(document.querySelector('.more-filters .filters')).gridTemplateColumns.split(' ').length)`;
const FILTER_ROWS = `new Set(${RARE}.map((field) => Math.round(field.querySelector('input, select').getBoundingClientRect().bottom))).size`;
const counted = z.looseObject({ rows: z.array(z.looseObject({ calls: z.number() })) });
const anything = z.looseObject({ id: z.string() });

/** The analytics, and the filters of stored calls. The console is built. */
export function describeAnalyticsPages(): void {
  describe.skipIf(!hasPeer('chromium'))('the analytics of the console', () => {
    let providers: EmulatedProviders;
    let test: TestService;
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      providers = await startEmulatedProviders({});
      const folder = await mkdtemp(join(tmpdir(), 'trunkline-prices-'));
      const prices = join(folder, 'prices.yaml');
      await writeFile(prices, PRICES);
      test = await startTestService({ ...providers.environment, PRICES_FILE: prices });
      const { id: agentId } = await test.api.createAgent(talker({ name: SCRIPT_IN_NAME, initial_message: GREETING }));
      const call = await dialIn(test, agentId);
      await call.said(GREETING);
      await call.hangUp();
      await test.api.callIn(call.callId, ['completed']);
      const canceled = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
      await test.api.requestOk(anything, 'PATCH', `/v1/calls/${canceled}`, { metadata: { campaign: 'spring' } });
      await test.api.send('POST', `/v1/calls/${canceled}/terminate`);
      await vi.waitFor(
        async () => {
          const { rows } = await test.api.requestOk(counted, 'GET', '/v1/analytics/calls?interval=total');
          expect(rows[0]?.calls).toBe(2);
        },
        { timeout: 60_000, interval: 500 },
      );
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
      await providers?.close();
    });

    it('shows plots with their tables, sums by group and providers, by keyboard and in four languages', async () => {
      const { page, complaints } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Analytics' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor();
      const plot = page.getByRole('region', { name: 'Calls over time' });
      await plot.getByRole('img', { name: /^Plot: Calls over time/ }).waitFor();
      await plot.locator('canvas').waitFor();
      // Nothing is chosen on the plot.
      expect(await plot.locator('.u-legend').innerText()).not.toMatch(/[–:-]/);
      await plot.getByText('Values as a table').focus();
      await page.keyboard.press('Enter');
      await plot.getByRole('row').filter({ hasText: '2' }).first().waitFor();
      const groups = page.getByRole('region', { name: 'By agent' });
      const sums = groups.getByRole('row').filter({ has: page.getByRole('rowheader', { name: SCRIPT_IN_NAME }) });
      // The sum of a price, also if it is below a hundredth.
      await sums.getByRole('cell', { name: /^0\.\d{4}$/ }).waitFor();
      await page.getByLabel('Sums by').selectOption('end_reason');
      const reasons = page.getByRole('region', { name: 'By end reason' });
      await reasons.getByRole('rowheader', { name: 'The caller hung up' }).first().waitFor();
      await reasons.getByRole('rowheader', { name: 'Canceled' }).first().waitFor();
      const used = page.getByRole('region', { name: 'Providers' });
      await used.getByRole('rowheader', { name: /voice/ }).first().waitFor();
      // The times are those of the calls, not of the provider.
      await used.getByRole('columnheader', { name: 'Response time of its calls, median' }).waitFor();
      // Nothing is known to have been paid for the call that was not answered.
      await reasons.getByRole('row').filter({ hasText: 'Canceled' }).getByRole('cell', { name: '–' }).waitFor();
      const costPlot = page.getByRole('region', { name: 'Cost by provider', exact: true });
      await costPlot.getByRole('img', { name: /^Plot: Cost by provider/ }).waitFor();
      await costPlot.getByText('Values as a table').click();
      await costPlot
        .getByRole('region', { name: 'Values: Cost by provider' })
        .getByRole('columnheader', { name: 'Telephony' })
        .waitFor();
      const costs = page.getByRole('region', { name: 'Cost by provider and model' });
      const voice = costs.getByRole('row').filter({ hasText: 'deepgram (voice)' });
      await voice.getByText(GREETING_PRICE, { exact: true }).waitFor();
      await costPlot.getByRole('cell', { name: GREETING_PRICE }).waitFor();
      await voice.getByText(/^\d+(\.\d)?%$/).waitFor();
      await costs.getByRole('rowheader', { name: 'Telephony' }).waitFor();
      expect(complaints).toEqual([]);
      expect(await faultsOfPage(page, 'analytics')).toEqual([]);
      await costs.scrollIntoViewIfNeeded();
      expect(await faultsOfPage(page, 'analytics-costs')).toEqual([]);
      await page.getByRole('combobox', { name: 'Direction', exact: true }).selectOption('outbound');
      await plot.getByText('Nothing was counted in this range.').waitFor();
      for (const name of ['Response time by day, ms', 'Cost by provider'])
        await page.getByRole('region', { name, exact: true }).getByText('All directions').waitFor();
      await page.getByLabel('Sums by').selectOption('agent_id');
      await page.getByRole('combobox', { name: 'Direction', exact: true }).selectOption('inbound');
      await groups.getByRole('rowheader', { name: SCRIPT_IN_NAME }).first().waitFor();
      expect(await groups.getByRole('columnheader', { name: 'Median' }).count()).toBe(0);
      for (const [language, title] of [
        ['de', 'Auswertung'],
        ['fr', 'Statistiques'],
        ['es', 'Estadísticas'],
        ['en', 'Analytics'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
      }
      expect(await page.evaluate('window.intruded')).toBeUndefined();
    });

    it('filters stored calls by day, status, end reason, number and metadata', async () => {
      const { page, complaints } = await browser.open();
      await signIn(page, TEST_API_KEY);
      await page.getByText('Canceled', { exact: true }).last().waitFor();
      const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
      expect(await rows.count()).toBe(2);
      expect(await page.evaluate(TABLE_OVERFLOW)).toBe(0);
      // Of the two calls one was never answered.
      const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);
      const filtered = page.waitForResponse((response) => response.url().includes('created_at_gt='));
      await page.getByLabel('After').fill(yesterday);
      await filtered;
      await expect.poll(() => rows.count()).toBe(2);
      await page.getByText('More filters').focus();
      await page.keyboard.press('Enter');
      expect(await page.evaluate(FILTER_ROWS)).toBe(await page.evaluate(FILTER_LINES));
      await page.getByLabel('Metadata, name=value').fill('campaign=spring');
      await page.keyboard.press('Enter');
      await vi.waitFor(async () => expect(await rows.count()).toBe(1), { timeout: 20_000 });
      await page.getByLabel('Status').selectOption('completed');
      await page.getByText('No call matches.').waitFor();
      await page.getByLabel('Metadata, name=value').fill('');
      await page.keyboard.press('Enter');
      await page.getByLabel('End reason').selectOption('caller_hangup');
      await vi.waitFor(async () => expect(await rows.count()).toBe(1), { timeout: 20_000 });
      expect(await faultsOfPage(page, 'calls-filtered')).toEqual([]);
      // What no filter can be is said beside its field, and changes nothing.
      await page.getByLabel('Metadata, name=value').fill('spring');
      await page.keyboard.press('Enter');
      await page.getByText('A name and a value: name=value.').waitFor();
      const metadata = page.getByRole('textbox', { name: en.calls.metadata, exact: true });
      expect(await metadata.getAttribute('aria-invalid')).toBe('true');
      expect(await rows.count()).toBe(1);
      await metadata.fill('campaign=spring');
      await page.keyboard.press('Enter');
      await page.getByText('No call matches.').waitFor();
      await metadata.fill('autumn');
      await page.keyboard.press('Enter');
      await page.getByText('A name and a value: name=value.').waitFor();
      await page.goBack();
      await expect.poll(() => metadata.inputValue()).toBe('');
      expect(await metadata.getAttribute('aria-invalid')).toBe('false');
      expect(await page.getByText('A name and a value: name=value.').count()).toBe(0);
      // The service says what is wrong with a number.
      await page.getByLabel('From number').fill('0151 23');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('expected an E.164 number').waitFor();
      await page.getByLabel('From number').fill(`${FROM.slice(0, 3)} ${FROM.slice(3)}`);
      await page.keyboard.press('Enter');
      await expect.poll(() => rows.count()).toBe(1);
      // The browser logs the refused number.
      expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    });
  });
}
