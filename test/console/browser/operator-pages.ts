import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../caller/caller.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../../service/rig/event-receiver.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { TEST_API_KEY } from '../../service/rig/service-process.ts';
import { FROM, TO, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { textPdf } from '../../src/background/knowledge/pdf.ts';
import { type ConsoleBrowser, faultsOfPage, signIn, startConsoleBrowser, TABLE_OVERFLOW } from './console-browser.ts';

/** Each would set `window.intruded` if a page took it for HTML. */
const SCRIPT_IN_NAME = '"><svg onload=window.intruded=1>';
const SCRIPT_IN_TEXT = '<img src=x onerror="window.intruded=2">';
/** Rows that the page of the audit log reads at once, and changes that need a second time. */
const AUDIT_PAGE_ROWS = 100;
const AUDITED_CHANGES = AUDIT_PAGE_ROWS + 5;
/** A line of text with the padding of a cell. */
const ONE_LINE_PX = 40;
const FILTER_PX_MAX = 300;
/** Rounding of places on the page. */
const PX_MAX = 3;
/** Knowledge bases that the page reads at once. */
const PAGE_BASES = 100;
const anything = z.looseObject({ id: z.string() });

/** The pages of an operator. The console is built. Not a separate test file: two files would build the console at the same time. */
export function describeOperatorPages(): void {
  describe.skipIf(!hasPeer('chromium'))('the console of an operator', () => {
    let providers: EmulatedProviders;
    let receiver: EventReceiver;
    let test: TestService;
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      providers = await startEmulatedProviders({});
      receiver = await startEventReceiver();
      test = await startTestService(providers.environment);
      browser = await startConsoleBrowser(test.service.httpUrl);
    });
    afterAll(async () => {
      await browser?.close();
      await test?.close();
      await receiver?.close();
      await providers?.close();
    });

    async function open(link: string) {
      const opened = await browser.open();
      await signIn(opened.page, TEST_API_KEY);
      // By keyboard alone.
      await opened.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: link }).focus();
      await opened.page.keyboard.press('Enter');
      await opened.page.getByRole('heading', { level: 1, name: link }).waitFor();
      return opened;
    }

    it('is where the root of the service leads to, and has an icon', async () => {
      const { page, complaints } = await browser.open({ path: '/' });
      await page.getByLabel('API key').waitFor();
      const icon = String(await page.evaluate("document.querySelector('link[rel=icon]').href"));
      const { status, headers } = await fetch(icon);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(complaints).toEqual([]);
    });

    it('says over which operations trunks and numbers are added, and where a webhook is set', async () => {
      const { page } = await open('Telephony');
      for (const operation of ['POST /v1/sip-trunks', 'POST /v1/phone-numbers']) {
        const hint = page.getByRole('paragraph').filter({ hasText: operation });
        const link = hint.getByRole('link', { name: 'API reference' });
        expect(await link.getAttribute('href')).toBe(`${test.service.httpUrl}/docs`);
      }
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('“webhook_url” and “webhook_subscriptions”').waitFor();
      // As wide as a filter beside others.
      expect((await page.getByLabel('Status').boundingBox())?.width).toBeLessThan(FILTER_PX_MAX);
    });

    it('shows trunks with their state, numbers with their target, and refused INVITEs with their cause', async () => {
      await test.api.requestOk(anything, 'POST', '/v1/sip-trunks', {
        name: SCRIPT_IN_NAME,
        termination_uri: '192.0.2.1:5060',
        allowed_addresses: ['127.0.0.1'],
      });
      const carrier = await SipCallee.open();
      carrier.onRequest = (request) => carrier.respond(request, 200, 'OK');
      const checked = { termination_uri: `127.0.0.1:${carrier.hop.port}`, options_interval: 10 };
      await test.api.requestOk(anything, 'POST', '/v1/sip-trunks', { name: 'Checked', ...checked });
      await eventually(async () =>
        expect((await test.api.send('GET', '/v1/sip-trunks/reachability')).body).toMatchObject({
          data: [{ intervals: [{ checks: 1 }] }],
        }),
      );
      carrier.close();
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Front desk' }));
      await test.api.requestOk(anything, 'POST', '/v1/phone-numbers', { number: TO, name: SCRIPT_IN_NAME });
      await test.api.requestOk(anything, 'POST', '/v1/phone-numbers', { number: FROM, inbound_agent_id: agentId });
      await call({ target: { host: '127.0.0.1', port: test.sipPort }, to: TO, from: FROM, durationMsMax: 5_000 });
      const { page, complaints } = await open('Telephony');
      await page.getByRole('region', { name: 'SIP trunks' }).getByText('192.0.2.1:5060 udp').waitFor();
      await page.getByRole('img', { name: '100% of the last day’s checks succeeded' }).waitFor();
      await page.getByRole('region', { name: 'Phone numbers' }).getByRole('link', { name: 'Front desk' }).waitFor();
      await page.getByRole('region', { name: 'Phone numbers' }).getByText('refuses calls').waitFor();
      const refused = page.getByRole('region', { name: 'Refused INVITEs' });
      await refused.getByText('The dialled number has no agent and no redirect').waitFor();
      await refused.getByText('+33•••••••89').waitFor();
      expect(await faultsOfPage(page, 'telephony')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      const destination = page.getByRole('cell', { name: '192.0.2.1:5060 udp' });
      // One line, not a column of characters.
      expect((await destination.boundingBox())?.height).toBeLessThan(ONE_LINE_PX);
      await page.setViewportSize({ width: 1_280, height: 800 });
      for (const [language, cause] of [
        ['de', 'Die gewählte Nummer hat weder Agent noch Weiterleitung'],
        ['fr', 'Le numéro composé n’a ni agent ni renvoi'],
        ['es', 'El número marcado no tiene agente ni desvío'],
        ['en', 'The dialled number has no agent and no redirect'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByText(cause).waitFor();
        expect(await page.evaluate(TABLE_OVERFLOW), language).toBe(0);
      }
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);
    });

    it('shows webhook deliveries with attempts and bodies, and sends a failed one again', async () => {
      receiver.answer = () => 'refuse';
      const subscription = { webhook_url: receiver.url, webhook_subscriptions: ['event_call_ended'] };
      const { id: agentId } = await test.api.createAgent(talker({ name: SCRIPT_IN_NAME, ...subscription }));
      const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
      await test.api.requestOk(anything, 'PATCH', `/v1/calls/${callId}`, { metadata: { note: SCRIPT_IN_TEXT } });
      await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      const { page, complaints } = await open('Webhooks');
      const delivery = page.getByRole('listitem').filter({ hasText: 'event_call_ended' });
      // The event is tried again after 5 s: a slow browser may see a later attempt.
      await delivery.getByText(/^\d+ attempts?$/).click();
      await delivery.getByText(/^1\. .* 500 /).waitFor();
      await delivery.getByText('Body').click();
      await delivery.getByText(callId).waitFor();
      expect(await faultsOfPage(page, 'webhooks')).toEqual([]);
      receiver.answer = () => 'take';
      await delivery.getByRole('button', { name: 'Send again' }).focus();
      await page.keyboard.press('Enter');
      await delivery.getByText('delivered', { exact: true }).waitFor();
      expect(receiver.arrivals.length).toBeGreaterThan(1);
      // Pages of the API by number name no next page.
      const byCursor = page.waitForRequest(/webhook-deliveries\?(?=.*use_cursor=true).*status=failed/);
      await page.getByLabel('Status').selectOption('failed');
      await byCursor;
      await page.getByText('There is no delivery.').waitFor();
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);
    });

    it('takes a text and a PDF into a knowledge base, shows what a search finds, and removes a source', async () => {
      const { page, complaints } = await open('Knowledge');
      await page.getByLabel('Name of a new knowledge base').fill(SCRIPT_IN_NAME);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: SCRIPT_IN_NAME }).click();
      const buffer = Buffer.from(textPdf([{ text: 'The pool closes at nine in the evening.', size: 12, y: 700 }]));
      await page.getByLabel('PDF files').setInputFiles([
        { name: `${SCRIPT_IN_TEXT}.pdf`, mimeType: 'application/pdf', buffer },
        { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 of nothing') },
      ]);
      await page.getByLabel('Text', { exact: true }).fill(`Breakfast is at seven. ${SCRIPT_IN_TEXT}`);
      await page.getByRole('button', { name: 'Upload' }).click();
      // The browser asks for the title: without one the text would be lost.
      await page.locator('input[name=title]:invalid').waitFor();
      expect(await page.evaluate('document.activeElement.name')).toBe('title');
      await page.keyboard.type('Breakfast');
      await page.getByRole('button', { name: 'Upload' }).click();
      const sources = page.getByRole('region', { name: '3 sources' });
      await sources.getByText('failed').waitFor();
      await sources.getByText('ready').nth(1).waitFor();
      // Nothing is read any more.
      await expect.poll(() => page.getByRole('status').filter({ hasText: 'Uploaded.' }).innerText()).toBe('Uploaded.');
      await page
        .getByLabel('PDF files')
        .setInputFiles({ name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) });
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByRole('alert').getByText('“empty.pdf” is empty.').waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      for (const language of ['de', 'fr', 'es', 'en']) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.locator(`html[lang=${language}]`).waitFor();
        expect(await page.evaluate(TABLE_OVERFLOW), language).toBe(0);
      }
      await page.setViewportSize({ width: 1_280, height: 800 });
      await page.getByLabel('Ask as an agent would').fill('When is breakfast?');
      await page.keyboard.press('Enter');
      const passages = page.getByRole('list', { name: 'Passages' });
      await passages.getByText('Breakfast is at seven.').waitFor();
      await passages.getByText('1.00').waitFor();
      expect(await faultsOfPage(page, 'knowledge')).toEqual([]);
      await page.getByLabel('Ask as an agent would').fill('pool');
      await page.keyboard.press('Enter');
      await passages.getByText('The pool closes at nine').waitFor();
      await passages.getByText('page 1').waitFor();
      // What was read from each page, by keyboard.
      await page.getByRole('button', { name: /^Text that was read from <img/ }).focus();
      await page.keyboard.press('Enter');
      const read = page.getByRole('dialog');
      await read.getByRole('heading', { name: 'page 1' }).waitFor();
      await read.getByText('The pool closes at nine in the evening.').waitFor();
      expect(await faultsOfPage(page, 'knowledge-text')).toEqual([]);
      await page.keyboard.press('Escape');
      await read.waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: 'broken.pdf' }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('region', { name: '2 sources' }).waitFor();
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);
    });

    it('leaves a chosen file to its knowledge base after a jump from one to another', async () => {
      const create = (name: string) => test.api.requestOk(anything, 'POST', '/v1/knowledge-bases', { name });
      await create('Menu');
      await create('Hours');
      const { page } = await open('Knowledge');
      const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
      const files = page.getByLabel('PDF files');
      await page.getByRole('link', { name: 'Menu' }).click();
      await heading('Menu').waitFor();
      await page.getByRole('link', { name: '← Knowledge' }).click();
      await page.getByRole('link', { name: 'Hours' }).click();
      await heading('Hours').waitFor();
      await files.setInputFiles({ name: 'hours.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') });
      await page.evaluate('history.go(-2)');
      await heading('Menu').waitFor();
      expect(await files.inputValue()).toBe('');
    });

    it('lists all knowledge bases, page by page', async () => {
      const create = (name: string) => test.api.requestOk(anything, 'POST', '/v1/knowledge-bases', { name });
      await create('Oldest of a page and one');
      for (let count = 0; count < PAGE_BASES; count++) await create(`Base ${count}`);
      const { page, complaints } = await open('Knowledge');
      await page.getByRole('heading', { name: `Base ${PAGE_BASES - 1}` }).waitFor();
      const oldest = page.getByRole('heading', { name: 'Oldest of a page and one' });
      expect(await oldest.count()).toBe(0);
      await page.getByRole('button', { name: 'Show more' }).click();
      await oldest.waitFor();
      expect(complaints).toEqual([]);
    });

    it('creates a key that is shown once, lists it without its secret, and revokes it', async () => {
      const { page, complaints } = await open('API keys');
      await page.getByLabel('Name of a new key').fill(SCRIPT_IN_NAME);
      await page.getByLabel('write', { exact: true }).uncheck();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const key = await page.getByLabel('The new key. It is shown only now.').inputValue();
      expect((await fetch(`${test.service.httpUrl}/v1/agents`, { headers: { 'x-api-key': key } })).status).toBe(200);
      expect(await faultsOfPage(page, 'keys')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator('.preferences select').last().selectOption('de');
      const choice = page.locator('label', { hasText: 'verwalten (admin' });
      await choice.waitFor();
      const [box, label] = await Promise.all([choice.getByRole('checkbox').boundingBox(), choice.boundingBox()]);
      // The text is beside its box, not below it.
      expect((label?.height ?? 0) / 2 + (label?.y ?? 0)).toBeLessThan((box?.y ?? 0) + (box?.height ?? 0));
      await page.locator('.preferences select').last().selectOption('en');
      await page.setViewportSize({ width: 1_280, height: 800 });
      await page.reload();
      const row = page.getByRole('row').filter({ hasText: SCRIPT_IN_NAME });
      await row.getByText('read', { exact: true }).waitFor();
      expect(await page.content()).not.toContain(key);
      expect(await page.evaluate('JSON.stringify(sessionStorage) + JSON.stringify(localStorage)')).not.toContain(key);
      await row.getByRole('button', { name: 'Revoke' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText(/^revoked /).waitFor();
      expect((await fetch(`${test.service.httpUrl}/v1/agents`, { headers: { 'x-api-key': key } })).status).toBe(401);
      expect(test.log()).not.toContain(key);
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);
    });

    it('lists who changed and opened what, by filters and pages, and leads to it', async () => {
      const { id: agentId } = await test.api.createAgent(talker({ name: 'Audited' }));
      for (let nth = 1; nth <= AUDITED_CHANGES; nth++)
        await test.api.requestOk(anything, 'PATCH', `/v1/agents/${agentId}`, { name: `Audited ${nth}` });
      const { page, complaints } = await open('Audit log');
      const log = page.getByRole('region', { name: 'Audit log' });
      await log.getByRole('row').filter({ hasText: 'updateAgent' }).first().waitFor();
      await page.getByLabel('Operation').selectOption('updateAgent');
      await page.getByLabel('Resource (id)').fill(agentId);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**target=${agentId}*`);
      const changes = log.getByRole('row').filter({ hasText: 'updateAgent' });
      await expect.poll(() => changes.count()).toBe(AUDIT_PAGE_ROWS);
      await changes.first().getByText('200').waitFor();
      expect(await faultsOfPage(page, 'audit-log')).toEqual([]);
      await page.getByRole('button', { name: 'Show more' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => changes.count()).toBe(AUDITED_CHANGES);
      // Numbers are in no record.
      expect(await log.innerText()).not.toMatch(/\+\d{7}/);
      await page.getByLabel('Operation').selectOption('createAgent');
      await expect.poll(() => log.getByRole('row').count()).toBe(2);
      await page.getByLabel('Before').fill('2020-01-01');
      await page.getByText('No record matches.').waitFor();
      await page.getByLabel('Before').fill('');
      for (const [language, title] of [
        ['de', 'Audit-Log'],
        ['fr', 'Journal d’audit'],
        ['es', 'Registro de auditoría'],
        ['en', 'Audit log'],
      ] as const) {
        await page.locator('.preferences select').last().selectOption(language);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
      }
      await log.getByRole('link', { name: 'Agent' }).click();
      await page.getByRole('heading', { level: 1, name: `Audited ${AUDITED_CHANGES}` }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('reads a page that failed without a network once the network returns', async () => {
      const { page } = await open('Audit log');
      await page.context().setOffline(true);
      await page.getByLabel('Before').fill('2020-01-01');
      await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
      await page.context().setOffline(false);
      await page.getByText('No record matches.').waitFor();
    });

    it('shows every setting with its value, default and purpose, and no secret', async () => {
      const { page, complaints } = await open('Settings');
      const http = page.getByRole('region', { name: 'HTTP' });
      await http.getByRole('row').filter({ hasText: 'RATE_LIMIT_PER_MINUTE' }).getByText('1000000').waitFor();
      await http.getByRole('row').filter({ hasText: 'RATE_LIMIT_PER_MINUTE' }).getByText('600').waitFor();
      await page.getByRole('row').filter({ hasText: 'TRUNKLINE_API_KEY' }).getByText('set, secret').waitFor();
      expect(await page.content()).not.toContain(TEST_API_KEY);
      expect(await faultsOfPage(page, 'settings')).toEqual([]);
      const heightOf = async (label: string) => {
        const box = await page.getByLabel(label).boundingBox();
        return (box?.y ?? 0) + (box?.height ?? 0) / 2;
      };
      expect(Math.abs((await heightOf('Find')) - (await heightOf('Only those that are set')))).toBeLessThan(PX_MAX);
      await page.getByLabel('Only those that are set').focus();
      await page.keyboard.press('Space');
      await page.getByText('RETENTION_DAYS').waitFor({ state: 'detached' });
      await page.getByLabel('Find').fill('rtp port');
      await page.getByText('RTP_PORTS').waitFor();
      expect(await page.getByRole('row').count()).toBe(2);
      await page.locator('.preferences select').last().selectOption('de');
      await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
      await page.locator('.preferences select').last().selectOption('en');
      expect(complaints).toEqual([]);
    });

    it('runs the checks of the doctor when it is asked to, and shows each finding with its remedy', async () => {
      const name = SCRIPT_IN_TEXT;
      await test.api.requestOk(anything, 'POST', '/v1/sip-trunks', {
        name,
        termination_uri: `localhost:${test.sipPort}`,
      });
      const { page, complaints } = await open('Checks');
      expect(await page.getByRole('table').count()).toBe(0);
      await page.getByRole('button', { name: 'Run the checks' }).focus();
      await page.keyboard.press('Enter');
      const findings = page.getByRole('region', { name: 'Findings' });
      await findings.getByText('all variables are valid').waitFor();
      await findings.getByRole('row').filter({ hasText: SCRIPT_IN_TEXT }).getByText('responds to OPTIONS').waitFor();
      await findings.getByText('→ set SIP_BIND').waitFor();
      expect(await faultsOfPage(page, 'checks')).toEqual([]);
      expect(await page.evaluate('window.intruded')).toBeUndefined();
      expect(complaints).toEqual([]);
    });

    it('shows the page of the keys to administrators alone, and the service itself to its operator', async () => {
      const { key } = await test.api.requestOk(z.looseObject({ key: z.string() }), 'POST', '/v1/api-keys', {
        name: 'reader',
      });
      const { page } = await browser.open();
      await signIn(page, key);
      await page.getByRole('link', { name: 'Webhooks' }).waitFor();
      for (const name of ['API keys', 'Audit log', 'Settings', 'Checks'])
        expect(await page.getByRole('link', { name, exact: true }).count(), name).toBe(0);
    });
  });
}
